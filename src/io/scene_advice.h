// io/scene_advice.h - keys that a scene's objects do not have, and people look for: where that is written here.
#pragma once

// The advice for a key of an object (ssi_object.name); NULL: there is none.
const char *ssi_scene_advice(const char *object, const char *key);
