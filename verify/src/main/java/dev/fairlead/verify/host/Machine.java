package dev.fairlead.verify.host;

import java.io.IOException;
import java.lang.management.ManagementFactory;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Locale;
import java.util.stream.Stream;

/** The machine of a measurement. */
public final class Machine {
  private static final double KIB_PER_GIB = 1024.0 * 1024;

  private Machine() {}

  /** {@code 2 cores (model), 23 GiB of memory, Linux 6.1, load average 0.42}. */
  public static String text() {
    return String.format(
        Locale.ROOT,
        "machine: %d cores (%s), %.0f GiB of memory, %s %s, load average %.2f",
        Runtime.getRuntime().availableProcessors(),
        field("/proc/cpuinfo", "model name"),
        number(field("/proc/meminfo", "MemTotal")) / KIB_PER_GIB,
        System.getProperty("os.name"),
        System.getProperty("os.version"),
        loadAverage());
  }

  /** Processes that ran or waited for a core, on average over the last minute. */
  public static double loadAverage() {
    return ManagementFactory.getOperatingSystemMXBean().getSystemLoadAverage();
  }

  private static double number(String text) {
    String digits = text.replaceAll("[^0-9]", "");
    return digits.isEmpty() ? 0 : Double.parseDouble(digits);
  }

  private static String field(String file, String name) {
    try (Stream<String> lines = Files.lines(Path.of(file))) {
      return lines
          .filter(line -> line.startsWith(name))
          .map(line -> line.substring(line.indexOf(':') + 1).strip())
          .findFirst()
          .orElse("unknown");
    } catch (IOException notLinux) {
      return "unknown";
    }
  }
}
