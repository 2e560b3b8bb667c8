package dev.fairlead.launcher;

import java.nio.file.Files;
import java.nio.file.Path;

/** Where the launchers find the work tree and the product's classes; the Makefile passes both. */
public final class WorkTree {
  private static final String ROOT = "fairlead.root";
  private static final String CLASSPATH = "fairlead.service.classpath";

  private WorkTree() {}

  /** The directory that holds {@code examples/}; the current one when nothing was passed. */
  public static Path root() {
    return Path.of(System.getProperty(ROOT, "")).toAbsolutePath();
  }

  /**
   * Class path of the product.
   *
   * @throws StartFailed when it was not passed
   */
  public static String serviceClasspath() {
    String path = System.getProperty(CLASSPATH);
    if (path == null || path.isBlank()) {
      throw new StartFailed("-D" + CLASSPATH + " is not set: start this through make");
    }
    return path;
  }

  /** A directory for logs and caches of the program named; removed by {@code make clean}. */
  public static Path scratch(String program) {
    Path directory = root().resolve("build").resolve(program);
    try {
      return Files.createDirectories(directory);
    } catch (java.io.IOException e) {
      throw new StartFailed(directory + " cannot be made: " + e.getMessage(), e);
    }
  }
}
