package dev.fairlead.verify.load.smoke;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/** Heap in use of another JVM of this machine after a full collection, read with {@code jcmd}. */
public final class HeapInUse {
  private static final Pattern USED = Pattern.compile("\\bused (\\d+)K");
  private static final double KIB_PER_MB = 1000.0 * 1000 / 1024;

  private HeapInUse() {}

  /** In MB (10^6 bytes). */
  public static double megabytes(long pid) throws IOException, InterruptedException {
    jcmd(pid, "GC.run");
    return parse(jcmd(pid, "GC.heap_info"));
  }

  /**
   * The first {@code used} is the heap's, or that of each generation. Metaspace follows on a
   * separate line.
   */
  static double parse(String heap) {
    long used = 0;
    for (String line : heap.lines().toList()) {
      if (line.strip().startsWith("Metaspace")) {
        break;
      }
      Matcher match = USED.matcher(line);
      used += !line.contains("space ") && match.find() ? Long.parseLong(match.group(1)) : 0;
    }
    if (used == 0) {
      throw new IllegalStateException("jcmd GC.heap_info names no used heap:\n" + heap);
    }
    return used / KIB_PER_MB;
  }

  private static String jcmd(long pid, String command) throws IOException, InterruptedException {
    Process process =
        new ProcessBuilder(
                Path.of(System.getProperty("java.home"), "bin", "jcmd").toString(),
                Long.toString(pid),
                command)
            .redirectErrorStream(true)
            .start();
    String output = new String(process.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
    if (process.waitFor() != 0) {
      throw new IOException("jcmd " + command + " failed: " + output);
    }
    return output;
  }
}
