package dev.fairlead.verify;

import dev.fairlead.launcher.WorkTree;
import java.nio.file.Path;

/** Folders of public traces and conformance cases, which are next to the work tree. */
public final class SharedFolder {
  private SharedFolder() {}

  /** Returns the folder of public traces: FAIRLEAD_TRACES, or next to the work tree. */
  public static Path traces() {
    return of("FAIRLEAD_TRACES", "traces");
  }

  /** Returns the folder of conformance cases: FAIRLEAD_CASES, or next to the work tree. */
  public static Path cases() {
    return of("FAIRLEAD_CASES", "cases");
  }

  private static Path of(String variable, String name) {
    String given = System.getenv(variable);
    return given != null && !given.isBlank()
        ? Path.of(given.strip())
        : WorkTree.root().resolveSibling("shared").resolve(name);
  }
}
