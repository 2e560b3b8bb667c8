package dev.fairlead.verify.engine.timelapse.trace;

import dev.fairlead.verify.BadInput;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** Public traces with submission times. */
public final class Traces {
  public static final List<String> NAMES = List.of("philly", "openb", "tiresias");

  private Traces() {}

  /**
   * Reads one of {@link #NAMES}.
   *
   * @param jobs a job list that replaces the public list, null for the public list
   * @param nodes likewise a node list
   * @throws BadInput when the name is none of them, or a file is absent or broken
   */
  public static Trace read(String name, Path directory, @Nullable Path jobs, @Nullable Path nodes) {
    if (!NAMES.contains(name)) {
      throw new BadInput("TRACE: expected one of " + NAMES + ", found \"" + name + "\"");
    }
    if ((jobs == null || nodes == null) && !Files.isDirectory(directory)) {
      throw new BadInput(
          "no traces in "
              + directory
              + ". Set FAIRLEAD_TRACES to the directory that holds them, or give FILE and NODES");
    }
    return read(name, new ReplayPlan.Files(directory, jobs, nodes));
  }

  public static Trace read(String name, ReplayPlan.Files files) {
    return switch (name) {
      case "philly" -> Philly.read(files);
      case "openb" -> Openb.read(files);
      default -> Tiresias.read(files);
    };
  }
}
