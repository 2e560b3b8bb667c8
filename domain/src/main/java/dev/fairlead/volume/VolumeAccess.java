package dev.fairlead.volume;

/** How many nodes may mount a volume for writing, as the access modes of Kubernetes name it. */
public enum VolumeAccess {
  READ_WRITE_ONCE,
  READ_WRITE_MANY
}
