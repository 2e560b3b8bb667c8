package dev.fairlead.work.log;

/** Location of bytes in a {@link ChunkStore}. */
public interface StoreKey {
  /**
   * Parts of letters, digits, dots and hyphens between slashes, so that no name leads out of the
   * store.
   */
  String path();
}
