package dev.fairlead.launcher;

import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;

/**
 * Paths of the examples, the product's classes and the output of the launchers. The Makefile and
 * {@code bin/fairlead-server} of a release set them.
 */
public final class WorkTree {
  private static final String ROOT = "fairlead.root";
  private static final String CLASSPATH = "fairlead.service.classpath";
  private static final String AOT_CACHE = "fairlead.service.aot-cache";
  private static final String PREPARED = "fairlead-prepared.jar";
  private static final String SCRATCH = "fairlead.scratch";

  private WorkTree() {}

  /** The directory with {@code examples/}. By default the current one. */
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
      throw new StartFailed("-D" + CLASSPATH + " is not set: start this with make");
    }
    return path;
  }

  /**
   * JVM flags that match the class path: its class cache, if any, and ahead-of-time bean
   * definitions, if the class path has them.
   */
  static List<String> serviceFlags(String classpath) {
    List<String> flags = new ArrayList<>();
    String cache = System.getProperty(AOT_CACHE, "");
    if (!cache.isBlank()) {
      flags.add("-XX:AOTCache=" + cache);
    }
    if (classpath.contains(PREPARED)) {
      flags.add("-Dspring.aot.enabled=true");
    }
    return flags;
  }

  /**
   * A directory for logs and caches of the named program: in a work tree below {@code build/},
   * which {@code make clean} removes.
   */
  public static Path scratch(String program) {
    String scratch = System.getProperty(SCRATCH, "");
    Path all = scratch.isBlank() ? root().resolve("build") : Path.of(scratch);
    Path directory = all.resolve(program);
    try {
      return Files.createDirectories(directory);
    } catch (java.io.IOException e) {
      throw new StartFailed(directory + " cannot be made: " + e.getMessage(), e);
    }
  }
}
