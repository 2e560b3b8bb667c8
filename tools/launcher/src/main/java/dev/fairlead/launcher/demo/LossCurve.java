package dev.fairlead.launcher.demo;

import java.util.ArrayList;
import java.util.List;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import tools.jackson.databind.JsonNode;

/** Progress of {@code examples/real/train.py} over all attempts. */
final class LossCurve {
  private static final Pattern STEP =
      Pattern.compile(".*attempt (\\d+) step (\\d+) loss ([0-9.]+)");
  private static final Pattern BEGIN =
      Pattern.compile(".*attempt (\\d+) (\\d+) processes, from step (\\d+) of \\d+");

  private final List<Double> losses = new ArrayList<>();
  private int attempt;
  private int step;
  private int resumedFrom;
  private boolean done;

  /** Returns true for a line with new information. */
  boolean hear(String line) {
    Matcher begin = BEGIN.matcher(line);
    if (begin.matches()) {
      if (Integer.parseInt(begin.group(1)) <= attempt) {
        return false;
      }
      attempt = Integer.parseInt(begin.group(1));
      step = Integer.parseInt(begin.group(3));
      resumedFrom = step;
      return true;
    }
    Matcher at = STEP.matcher(line);
    if (at.matches()) {
      int now = Integer.parseInt(at.group(2));
      boolean fresh = now > step;
      if (fresh) {
        step = now;
        losses.add(Double.valueOf(at.group(3)));
      }
      return fresh;
    }
    boolean last = line.endsWith("done") && !done;
    done |= last;
    return last;
  }

  /** The last reported step, 0 before the first. */
  int step() {
    return step;
  }

  /** One line for each difference from the expected course. */
  List<String> differences(JsonNode job, boolean killed) {
    List<String> differences = new ArrayList<>();
    if (!job.path("state").asString("").equals("SUCCEEDED")) {
      differences.add("the job did not succeed");
    }
    if (!killed || job.path("attempt").asInt() != 2) {
      differences.add("the job should have needed two attempts, one of them with a killed member");
    }
    if (resumedFrom <= 0) {
      differences.add("the second attempt did not resume from a checkpoint");
    }
    if (losses.isEmpty() || losses.getLast() >= losses.getFirst() / 2) {
      differences.add("the loss did not fall by half: " + losses);
    }
    return differences;
  }
}
