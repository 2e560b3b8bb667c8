package dev.fairlead.work.workload.kubernetes.front;

import static dev.fairlead.front.FrontCondition.COMPLETE;
import static dev.fairlead.front.FrontCondition.FAILED;
import static dev.fairlead.front.FrontCondition.FAILURE_TARGET;
import static dev.fairlead.front.FrontCondition.SUBMITTED;
import static dev.fairlead.front.FrontCondition.SUCCESS_CRITERIA_MET;
import static dev.fairlead.front.FrontCondition.SUSPENDED;

import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.fairlead.front.FrontCondition;
import dev.fairlead.front.FrontStatus;
import dev.fairlead.front.FrontStatusBuilder;
import java.time.DateTimeException;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/**
 * Status of a Workload: the status of a front Job and the derived kstatus conditions.
 *
 * @param job the status of a front Job
 * @param generation generation of the current spec
 * @param jobGeneration generation of the spec that was submitted, 0 before the submit
 */
public record WorkloadStatus(FrontStatus job, long generation, long jobGeneration) {
  private static final String READY = "Ready";
  private static final String RECONCILING = "Reconciling";
  private static final String STALLED = "Stalled";
  private static final Set<String> DERIVED = Set.of(READY, RECONCILING, STALLED);
  private static final Set<String> FINAL =
      Set.of(SUCCESS_CRITERIA_MET, COMPLETE, FAILURE_TARGET, FAILED);
  private static final int LONGEST = 32_768;
  private static final int MOST_CONDITIONS = 30;
  private static final String CONDITIONS = "conditions";
  private static final String JOB_GENERATION = "jobGeneration";
  private static final String JOB = "job";
  private static final String SPEC_CHANGED = "SpecChanged";
  private static final ObjectMapper MAPPER = new ObjectMapper();

  /** Condition of a Workload that Fairlead has not read. */
  private static final FrontCondition UNSEEN =
      FrontCondition.of(SUBMITTED, false, "Pending", "", Instant.EPOCH);

  private static final String START = "startTime";
  private static final String COMPLETION = "completionTime";

  /** Id of the job in the message of the condition Submitted. */
  private static final Pattern ID = Pattern.compile("\\bjob_[0-9a-z]+\\b");

  /** The phase, and the reason of the condition Ready. */
  private record Told(String phase, String reason, String message, Instant since) {
    boolean succeeded() {
      return phase.equals("Succeeded");
    }

    boolean failed() {
      return phase.equals("Failed");
    }
  }

  /** Returns the status to write after the previous one. */
  static WorkloadStatus next(@Nullable WorkloadStatus before, FrontStatus job) {
    long generation = before == null ? 0 : before.generation;
    long submitted = before == null ? 0 : before.jobGeneration;
    return new WorkloadStatus(
        job, generation, job.is(SUBMITTED) && submitted == 0 ? generation : submitted);
  }

  /**
   * Reads a status. If another writer changed it, the result differs from each status that Fairlead
   * shows, so the status is written again. A changed status also proves no end, unless the Workload
   * was released after its end. The status of a spec that was changed before its submit is not
   * read.
   *
   * @param status the node, missing or null if none
   * @param held whether Fairlead holds the Workload
   * @return null if no API server could have sent it
   */
  static @Nullable WorkloadStatus read(JsonNode status, long generation, boolean held) {
    if (status.path(CONDITIONS).size() > MOST_CONDITIONS) {
      return null;
    }
    long submitted = status.path(JOB_GENERATION).asLong();
    long observed = status.path("observedGeneration").asLong();
    try {
      FrontStatus told = told(status);
      if (!told.is(SUBMITTED) && observed != generation) {
        return new WorkloadStatus(FrontStatus.NEW, generation, 0);
      }
      WorkloadStatus is = new WorkloadStatus(told, generation, submitted);
      return !held && told.finished() || MAPPER.readTree(is.written().toString()).equals(status)
          ? is
          : new WorkloadStatus(doubted(told), generation, submitted);
    } catch (JsonProcessingException | DateTimeException | IllegalArgumentException strange) {
      return null;
    }
  }

  private static FrontStatus told(JsonNode status) {
    List<FrontCondition> conditions = new ArrayList<>();
    for (JsonNode one : status.path(CONDITIONS)) {
      FrontCondition condition = condition(one);
      switch (condition.type()) {
        case COMPLETE -> conditions.add(retyped(condition, SUCCESS_CRITERIA_MET));
        case FAILED -> conditions.add(retyped(condition, FAILURE_TARGET));
        default -> {}
      }
      if (!DERIVED.contains(condition.type())) {
        conditions.add(condition);
      }
    }
    return FrontStatusBuilder.builder()
        .active(status.path("active").asInt())
        .ready(status.path("ready").asInt())
        .succeeded(status.path("succeeded").asInt())
        .failed(status.path("failed").asInt())
        .startTime(time(status.path(START)))
        .completionTime(time(status.path(COMPLETION)))
        .conditions(conditions)
        .service(null)
        .build();
  }

  private static FrontCondition retyped(FrontCondition one, String type) {
    return new FrontCondition(type, one.status(), one.reason(), one.message(), one.since());
  }

  private static FrontCondition condition(JsonNode one) {
    Instant since = time(one.path("lastTransitionTime"));
    return new FrontCondition(
        text(one, "type"),
        text(one, "status"),
        text(one, "reason"),
        text(one, "message"),
        since == null ? Instant.EPOCH : since);
  }

  private static String text(JsonNode in, String name) {
    String text = in.path(name).asText();
    if (text.length() > LONGEST) {
      throw new IllegalArgumentException("a text that is longer than the definition permits");
    }
    return text;
  }

  private static @Nullable Instant time(JsonNode text) {
    return text.isTextual() ? Instant.parse(text.asText()) : null;
  }

  /** Returns only the fact that the Workload was submitted. */
  private static FrontStatus doubted(FrontStatus told) {
    List<FrontCondition> conditions = new ArrayList<>();
    for (FrontCondition one : told.conditions()) {
      if (one.type().equals(SUBMITTED)) {
        conditions.add(new FrontCondition(SUBMITTED, one.status(), "", "", one.since()));
      } else if (!FINAL.contains(one.type()) && !one.type().equals(SUSPENDED)) {
        conditions.add(one);
      }
    }
    return FrontStatusBuilder.builder()
        .active(0)
        .ready(0)
        .succeeded(0)
        .failed(0)
        .startTime(null)
        .completionTime(null)
        .conditions(conditions)
        .service(null)
        .build();
  }

  private Told phase() {
    FrontCondition submitted = job.condition(SUBMITTED).orElse(UNSEEN);
    Optional<FrontCondition> held = job.condition(SUSPENDED);
    if (job.is(FAILED)) {
      return explained("Failed", job.condition(FAILED).orElse(submitted));
    }
    if (job.is(COMPLETE)) {
      return explained("Succeeded", job.condition(COMPLETE).orElse(submitted));
    }
    if (job.is(SUSPENDED)) {
      return explained("Suspended", held.orElse(submitted));
    }
    if (!submitted.is()) {
      return explained("Pending", submitted);
    }
    String phase = job.ready() > 0 ? "Running" : job.active() > 0 ? "Starting" : "Queued";
    return new Told(phase, phase, submitted.message(), held.orElse(submitted).since());
  }

  private static Told explained(String phase, FrontCondition by) {
    return new Told(phase, by.reason(), by.message(), by.since());
  }

  /**
   * Derives conditions by the rules of kstatus: Reconciling until the job has ended, and Stalled if
   * it will not succeed without a change by a user.
   */
  private List<FrontCondition> derived(Told told) {
    Instant since = job.condition(SUBMITTED).orElse(UNSEEN).since();
    boolean changed = jobGeneration > 0 && jobGeneration != generation;
    if (changed) {
      String message =
          ("The spec was changed after it was submitted. %s with the spec of generation %d."
                  + " Delete the Workload and create it again")
              .formatted(told.message(), jobGeneration);
      return List.of(
          FrontCondition.of(READY, false, SPEC_CHANGED, message, since),
          FrontCondition.of(RECONCILING, false, SPEC_CHANGED, message, since),
          FrontCondition.of(STALLED, true, SPEC_CHANGED, message, since));
    }
    boolean going = !told.succeeded() && !told.failed() && !job.is(SUSPENDED);
    Instant turned = told.succeeded() || told.failed() ? told.since() : since;
    return List.of(
        FrontCondition.of(READY, told.succeeded(), told.reason(), told.message(), turned),
        FrontCondition.of(RECONCILING, going, told.reason(), told.message(), told.since()),
        FrontCondition.of(STALLED, told.failed(), told.reason(), told.message(), turned));
  }

  /** Merge patch of the status, which removes each field absent from it. */
  ObjectNode patch() {
    ObjectNode patch = written();
    for (String name : List.of(JOB_GENERATION, JOB, START, COMPLETION)) {
      if (!patch.has(name)) {
        patch.putNull(name);
      }
    }
    return patch;
  }

  private ObjectNode written() {
    ObjectNode node = JsonNodeFactory.instance.objectNode();
    Told told = phase();
    node.put("observedGeneration", generation);
    if (jobGeneration > 0) {
      node.put(JOB_GENERATION, jobGeneration);
    }
    node.put("phase", told.phase());
    job.condition(SUBMITTED)
        .filter(FrontCondition::is)
        .map(FrontCondition::message)
        .map(ID::matcher)
        .filter(Matcher::find)
        .ifPresent(id -> node.put(JOB, id.group()));
    node.put("active", job.active());
    node.put("ready", job.ready());
    node.put("succeeded", job.succeeded());
    node.put("failed", job.failed());
    if (job.startTime() != null) {
      node.put(START, job.startTime().toString());
    }
    if (job.completionTime() != null && job.is(COMPLETE)) {
      node.put(COMPLETION, job.completionTime().toString());
    }
    ArrayNode conditions = node.putArray(CONDITIONS);
    derived(told).forEach(one -> put(conditions.addObject(), one));
    for (FrontCondition one : job.conditions()) {
      if (!one.type().equals(SUCCESS_CRITERIA_MET) && !one.type().equals(FAILURE_TARGET)) {
        put(conditions.addObject(), one);
      }
    }
    return node;
  }

  private void put(ObjectNode into, FrontCondition one) {
    into.put("type", one.type());
    into.put("status", one.status());
    into.put("reason", one.reason());
    into.put("message", one.message());
    into.put("lastTransitionTime", one.since().toString());
    into.put("observedGeneration", generation);
  }
}
