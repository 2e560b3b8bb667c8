package dev.fairlead.launcher;

import java.nio.file.Path;
import java.util.Collections;
import java.util.List;
import java.util.SortedMap;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;

/**
 * Settings of a service process.
 *
 * @param jvmFlags flags of its JVM, empty = untuned
 * @param environment variables in addition to those of this process
 * @param log file for its output. Null = the output of this process
 */
public record ServiceSettings(
    String classpath,
    List<String> jvmFlags,
    SortedMap<String, String> environment,
    LoopbackPorts ports,
    @Nullable Path log) {
  /** A start in few seconds and little memory, at the price of peak speed. */
  public static final List<String> QUICK =
      List.of("-XX:TieredStopAtLevel=1", "-XX:+UseSerialGC", "-Xmx1g");

  public ServiceSettings {
    jvmFlags = List.copyOf(jvmFlags);
    environment = Collections.unmodifiableSortedMap(new TreeMap<>(environment));
  }
}
