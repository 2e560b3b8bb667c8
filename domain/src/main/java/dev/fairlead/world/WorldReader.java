package dev.fairlead.world;

/** Reads the world. */
public interface WorldReader {
  /** All rows of one moment. */
  World read();
}
