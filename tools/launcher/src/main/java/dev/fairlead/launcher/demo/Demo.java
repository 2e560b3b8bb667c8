package dev.fairlead.launcher.demo;

import dev.fairlead.launcher.ApiRefusal;
import dev.fairlead.launcher.FairleadApi;
import dev.fairlead.launcher.StartFailed;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.SequencedMap;
import java.util.TreeMap;
import tools.jackson.databind.JsonNode;

/**
 * Submits the examples, displays them until all have ended, and compares each with its
 * expectations.
 */
final class Demo {
  private static final String JOBS = "/projects/default/jobs";
  private static final Duration POLL = Duration.ofMillis(250);

  private final FairleadApi api;
  private final Screen screen;
  private final Duration explanationShown;
  private final Meanwhile meanwhile;
  private final SequencedMap<String, Example> examples = new LinkedHashMap<>();
  private final Map<String, Instant> explainedAt = new TreeMap<>();
  private final Map<String, JobLine> jobs = new TreeMap<>();

  /** Events of an example's job from outside. Called at each poll. */
  @FunctionalInterface
  interface Meanwhile {
    void seen(Example example, JobLine job);
  }

  /**
   * @param explanationShown how long a job that will be cancelled waits after its explanation is
   *     shown
   */
  Demo(FairleadApi api, Screen screen, Duration explanationShown, Meanwhile meanwhile) {
    this.api = api;
    this.screen = screen;
    this.explanationShown = explanationShown;
    this.meanwhile = meanwhile;
  }

  /**
   * @throws StartFailed when the API refuses an example
   */
  void submit(List<Example> all) {
    for (Example example : all) {
      try {
        JsonNode answer = api.postYaml(JOBS, example.yaml());
        examples.put(answer.path("id").asString(""), example);
        answer
            .path("warnings")
            .forEach(w -> screen.say(example.file() + ": accepted with a warning: " + text(w)));
      } catch (ApiRefusal refused) {
        throw new StartFailed(
            "examples/" + example.file() + " was refused: " + refused.getMessage(), refused);
      }
    }
  }

  private static String text(JsonNode warning) {
    return warning.isString()
        ? warning.asString()
        : warning.path("detail").asString(warning.toString());
  }

  /** Displays the jobs until all have ended, for at most this time. */
  void watch(Duration most) throws InterruptedException {
    Instant until = Instant.now().plus(most);
    while (!look() && Instant.now().isBefore(until)) {
      Thread.sleep(POLL);
    }
  }

  /** Returns whether all have ended. */
  private boolean look() {
    Instant now = Instant.now();
    api.each(
        JOBS + "?pageSize=500",
        job -> {
          JobLine line = JobLine.of(job, now);
          if (examples.containsKey(line.id())) {
            jobs.put(line.id(), line);
          }
        });
    List<JobLine> lines = lines();
    lines.forEach(line -> meanwhile.seen(Objects.requireNonNull(examples.get(line.id())), line));
    lines.forEach(line -> explainThenCancel(line, now));
    screen.show(lines);
    return lines.size() == examples.size() && lines.stream().allMatch(JobLine::ended);
  }

  private List<JobLine> lines() {
    return examples.sequencedKeySet().stream().map(jobs::get).filter(Objects::nonNull).toList();
  }

  private void explainThenCancel(JobLine job, Instant now) {
    if (!Objects.requireNonNull(examples.get(job.id())).cancelledByTheDemo() || job.ended()) {
      return;
    }
    Instant explained = explainedAt.get(job.id());
    if (explained == null && !job.reason().isEmpty()) {
      explain(job);
      explainedAt.put(job.id(), now);
    } else if (explained != null
        && job.state().equals("QUEUED")
        && now.isAfter(explained.plus(explanationShown))) {
      api.post("/jobs/" + job.id() + "/cancel");
    }
  }

  private void explain(JobLine job) {
    JsonNode explanation = api.get("/jobs/" + job.id() + "/explanation");
    String message = explanation.path("message").asString(job.place());
    screen.say("why " + job.name() + ": " + message);
    for (JsonNode blocker : explanation.path("blockers")) {
      String scope = blocker.path("scope").path("name").asString("");
      String text = blocker.path("message").asString("");
      if (!text.equals(message)) {
        screen.say("    " + (scope.isEmpty() ? "" : scope + ": ") + text);
      }
    }
    for (JsonNode miss : explanation.path("nearMisses")) {
      JsonNode change = miss.path("change");
      screen.say(
          "    with %s %s instead of %s: %s"
              .formatted(
                  change.path("field").asString(""),
                  change.path("to").asString(""),
                  change.path("from").asString(""),
                  miss.path("effect").asString("")));
    }
  }

  /** Time when the first job ran, by the service's clock. */
  Optional<Instant> firstRunning() {
    return jobs.values().stream()
        .map(JobLine::startedAt)
        .filter(Objects::nonNull)
        .min(Instant::compareTo);
  }

  /** One line for each difference from an example's expectations. */
  List<String> differences() {
    List<String> differences = new ArrayList<>();
    examples.forEach((id, example) -> {
      JobLine job = jobs.get(id);
      if (job == null) {
        differences.add(example.file() + ": its job " + id + " is not in the list of jobs");
      } else {
        example.differences(job).forEach(differences::add);
      }
    });
    return differences;
  }
}
