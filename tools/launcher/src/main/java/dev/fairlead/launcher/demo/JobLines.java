package dev.fairlead.launcher.demo;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;

/** Jobs as aligned lines: NAME STATE TIME PLACE/REASON. Pure. */
final class JobLines {
  private static final String RESET = "\u001b[0m";
  private static final Map<String, String> COLOURS =
      Map.of(
          "RUNNING", "\u001b[36m",
          "SUCCEEDED", "\u001b[32m",
          "FAILED", "\u001b[31m",
          "CANCELLED", "\u001b[35m");
  private static final String OTHER = "\u001b[33m";
  private static final int STATE_WIDTH = 10;
  private static final int TIME_WIDTH = 7;

  private JobLines() {}

  /** A heading and one line for each job. */
  static List<String> lines(List<JobLine> jobs, boolean colour) {
    int name = jobs.stream().mapToInt(job -> job.name().length()).max().orElse(0);
    int width = Math.max(name, "NAME".length());
    List<String> lines = new ArrayList<>();
    lines.add(
        pad("NAME", width)
            + "  "
            + pad("STATE", STATE_WIDTH)
            + "  "
            + left("TIME", TIME_WIDTH)
            + "  PLACE/REASON");
    jobs.forEach(job -> lines.add(line(job, width, colour)));
    return lines;
  }

  static String line(JobLine job, int nameWidth, boolean colour) {
    String state = pad(job.state(), STATE_WIDTH);
    String shown = colour ? COLOURS.getOrDefault(job.state(), OTHER) + state + RESET : state;
    String line =
        pad(job.name(), nameWidth)
            + "  "
            + shown
            + "  "
            + left(time(job.time()), TIME_WIDTH)
            + "  "
            + job.place();
    return line.stripTrailing();
  }

  /** {@code 9.4s}, {@code 1m05s}. */
  static String time(Duration time) {
    long tenths = time.toMillis() / 100;
    return tenths < 600
        ? tenths / 10 + "." + tenths % 10 + "s"
        : "%dm%02ds".formatted(time.toSeconds() / 60, time.toSeconds() % 60);
  }

  private static String pad(String text, int width) {
    return text + " ".repeat(Math.max(0, width - text.length()));
  }

  private static String left(String text, int width) {
    return " ".repeat(Math.max(0, width - text.length())) + text;
  }
}
