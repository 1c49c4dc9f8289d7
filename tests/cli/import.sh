# models of other programs as scenes that run
cp -r "$DOCS/../examples/models" models
"$STICKSLIP" import models/arm.urdf -p elbow=0.5 --ground 0 -o arm.json
"$STICKSLIP" simulate arm.json --quiet --json | $SHOW status steps unsolved_steps
"$STICKSLIP" import models/cart.xml -o cart.json --json | $SHOW status kind bodies externals joints elements left
"$STICKSLIP" simulate cart.json --quiet --json | $SHOW status steps unsolved_steps
"$STICKSLIP" import models/meshes/wedge.stl --scale 0.001 --ground -0.02 -o - 2> /dev/null | "$STICKSLIP" simulate - --quiet --json | $SHOW status unsolved_steps
"$STICKSLIP" import models/meshes/brick.obj -o brick.json

echo "--- refused"
try() { "$STICKSLIP" import "$@" -o out.json; echo "exit $?"; }
try nosuch.urdf
try models/meshes/wedge.stl --scale 0
try models/arm.urdf -p elbow
try models/arm.urdf -p nosuch=1
try models/arm.urdf --base sideways
printf '<robot name="x"><link name="a"></robot>' > broken.urdf; try broken.urdf
printf '<robot name="x"><link name="a"/><joint name="j" type="revolute"><parent link="b"/><child link="a"/></joint></robot>' > none.urdf; try none.urdf
printf '<robot name="x"><link name="a"/><link name="b"><inertial><mass value="1"/><inertia ixx="1" iyy="1" izz="1"/></inertial></link>\n<joint name="j" type="hinge"><parent link="a"/><child link="b"/></joint></robot>' > type.urdf; try type.urdf
printf '<robot name="x"><link name="a"/><link name="b"/>\n<joint name="j" type="fixed"><parent link="a"/><child link="b"/></joint>\n<joint name="k" type="fixed"><parent link="b"/><child link="a"/></joint></robot>' > circle.urdf; try circle.urdf
printf '<robot name="x"><link name="a"><inertial><mass value="1"/><inertia ixx="1" iyy="1" izz="9"/></inertial></link></robot>' > heavy.urdf; try heavy.urdf
printf '<robot name="x"><link name="a"><inertial><mass value="1 2"/><inertia ixx="1" iyy="1" izz="1"/></inertial></link></robot>' > two.urdf; try two.urdf
printf '<robot name="x"><link name="a">\n<collision><geometry><mesh filename="package://y/z.stl"/></geometry></collision></link></robot>' > lost.urdf; try lost.urdf
printf '<mujoco><worldbody><body><joint/>\n<joint axis="1 0 0"/><geom size="1"/></body></worldbody></mujoco>' > two.xml; try two.xml
printf '<mujoco><worldbody><body><joint/></body></worldbody></mujoco>' > light.xml; try light.xml
printf '<mujoco><include file="/etc/passwd"/><worldbody/></mujoco>' > include.xml; try include.xml
printf '<!DOCTYPE r [<!ENTITY e SYSTEM "file:///etc/passwd">]><mujoco model="&e;"><worldbody><geom size="&e;"/></worldbody></mujoco>' > entity.xml; try entity.xml
printf '<html/>' > page.html; try page.html
echo '{"dim": 2}' > p.json; try p.json
printf 'solid x\nfacet normal 0 0 1\nouter loop\nvertex 0 0 nan\n' > bad.stl; try bad.stl
printf 'v 0 0 0\nv 1 0 0\nv 0 1 0\nf 1 2 9\n' > bad.obj; try bad.obj
printf 'v 0 0 0\nv 1 0 0\nv 0 1 0\nf 1 2 3\n' > flat.obj; try flat.obj
printf 'v 0 0 0\nv 2 0 0\nv 2 2 0\nv 1 0.5 0\nv 0 0 1\nv 2 0 1\nv 2 2 1\nv 1 0.5 1\nf 4 3 2 1\nf 5 6 7 8\nf 1 2 6 5\nf 2 3 7 6\nf 3 4 8 7\nf 4 1 5 8\n' > notch.obj; try notch.obj
try notch.obj --hull

echo "--- a mesh of the model is an input, too"
cp models/meshes/wedge.stl before.stl; ln -s meshes/wedge.stl models/soft.json; ln models/meshes/wedge.stl models/hard.json
for out in models/meshes/wedge.stl models/soft.json models/hard.json; do
  "$STICKSLIP" import models/arm.urdf -o $out -q; echo "exit $?"; cmp before.stl models/meshes/wedge.stl
done
