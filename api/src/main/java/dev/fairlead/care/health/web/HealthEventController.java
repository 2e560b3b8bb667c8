package dev.fairlead.care.health.web;

import dev.fairlead.care.health.HealthEvent;
import dev.fairlead.care.health.Incident;
import dev.fairlead.care.health.Judgement;
import dev.fairlead.care.health.NodeAllocations;
import dev.fairlead.care.health.device.NodeDevices;
import dev.fairlead.care.health.service.AllocationIntake;
import dev.fairlead.care.health.service.DeviceIntake;
import dev.fairlead.care.health.service.HealthIntake;
import dev.fairlead.care.health.service.Intake;
import dev.fairlead.kernel.body.Body;
import dev.fairlead.kernel.body.FieldProblems;
import dev.fairlead.kernel.body.Fields;
import dev.fairlead.kernel.body.Value;
import dev.fairlead.kernel.mapping.ApiController;
import dev.fairlead.kernel.mapping.BodyOf;
import dev.fairlead.kernel.mapping.PostBody;
import dev.fairlead.kernel.problem.ProblemCode;
import dev.fairlead.kernel.web.ApiPaths;
import dev.fairlead.people.tenant.Actor;
import io.swagger.v3.oas.annotations.Operation;
import io.swagger.v3.oas.annotations.media.Schema;
import io.swagger.v3.oas.annotations.tags.Tag;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.SortedSet;
import java.util.TreeSet;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;
import org.springframework.web.bind.annotation.PathVariable;
import org.springframework.web.bind.annotation.RequestBody;

/** Accepts events of monitors. */
@ApiController(ApiPaths.ROOT)
@Tag(name = "Health")
class HealthEventController {
  private static final int MOST = 500;
  private static final int LONGEST_ID = 128;
  private static final int LONGEST_MESSAGE = 1024;
  private static final Pattern PRINTED = Pattern.compile("[^\\p{Cntrl}]*");
  private final HealthIntake intake;
  private final DeviceIntake devices;
  private final AllocationIntake holders;

  HealthEventController(HealthIntake intake, DeviceIntake devices, AllocationIntake holders) {
    this.intake = intake;
    this.devices = devices;
    this.holders = holders;
  }

  /**
   * A report from monitors of one cluster. At least one of events, inventory and allocations is
   * required.
   *
   * @param events 1 to 500
   * @param inventory machines with all their devices, 1 to 500. A device that is missing from the
   *     list of its machine is shown as unknown
   * @param allocations machines with the devices of their pods, 1 to 500, from the node agent
   */
  @Schema(name = "HealthEventsRequest")
  record HealthEventsRequest(
      @Nullable List<HealthEventRequest> events,
      @Nullable List<NodeGpusRequest> inventory,
      @Nullable List<NodeAllocationsRequest> allocations) {}

  /**
   * Devices that the pods of a machine hold.
   *
   * @param node name of the machine
   * @param at time of the reading, at most 5 minutes ahead of the clock of Fairlead
   * @param pods at most 512. Pods of other programs are ignored
   */
  @Schema(name = "NodeAllocationsRequest")
  record NodeAllocationsRequest(String node, Instant at, List<PodDevicesRequest> pods) {}

  /**
   * Devices of a pod.
   *
   * @param uid UID of the pod
   * @param gpus ids of its devices, as the device plugin names them: a UUID, for a replica of
   *     time-slicing or MPS with its number. If the list has any other id, the devices of the pod
   *     remain unknown
   */
  @Schema(name = "PodDevicesRequest")
  record PodDevicesRequest(String uid, List<String> gpus) {}

  /**
   * All devices of a machine.
   *
   * @param node name of the machine
   * @param at time of the list, at most 5 minutes ahead of the server's clock
   * @param gpus devices, at most 64
   */
  @Schema(name = "NodeGpusRequest")
  record NodeGpusRequest(String node, Instant at, List<ListedGpuRequest> gpus) {}

  /**
   * A device of a machine.
   *
   * @param gpu UUID of the device
   * @param serial serial number of the device, absent if the sender does not know it
   */
  @Schema(name = "ListedGpuRequest")
  record ListedGpuRequest(String gpu, @Nullable String serial) {}

  /**
   * A fault event from a monitor.
   *
   * @param id id chosen by the sender, the same in each repeat: letters, digits and -_.:/ , at most
   *     128 characters
   * @param at time of the fault, at most 5 minutes ahead of the server's clock
   * @param node name of the machine
   * @param gpu UUID of the device, absent if the sender does not know it
   * @param serial serial number of the device
   * @param xid code of the driver's error, from 1. An unknown code is stored and isolates nothing
   * @param code name of a DCGM code instead of xid, such as DCGM_FR_ROW_REMAP_FAILURE. An unknown
   *     code is stored with the message and isolates nothing
   * @param message message of the driver
   */
  @Schema(name = "HealthEventRequest")
  record HealthEventRequest(
      String id,
      Instant at,
      String node,
      @Nullable String gpu,
      @Nullable String serial,
      @Nullable Integer xid,
      @Nullable String code,
      @Nullable String message) {}

  /**
   * Result of a report.
   *
   * @param items results in the order of the events
   * @param leftAside machines whose inventory was ignored, because the cluster has no such node or
   *     the time is in the future, or whose GPUs were ignored: new GPUs after 256 in 90 days, and
   *     GPUs that another cluster reports as its own
   */
  record HealthEventsResponse(List<HealthEventResult> items, List<String> leftAside) {}

  /**
   * Result of one event.
   *
   * @param index index of the event, from 0
   * @param verdict result of the evaluation of the event, null if it was not evaluated
   * @param incident id of the incident that it opened or joined, null if none
   * @param detail meaning of the event, and the action taken
   */
  record HealthEventResult(
      int index,
      String id,
      Intake.Outcome outcome,
      Judgement.@Nullable Verdict verdict,
      @Nullable String incident,
      String detail) {}

  @Operation(
      operationId = "reportHealthEvents",
      summary = "Report GPU faults",
      description =
          "XID errors, and codes of DCGM, that monitors of a cluster saw, at most 500. An event is"
              + " stored once by its id, so a repeat does nothing. The first event that the table"
              + " calls a fault takes its node out of service and opens an incident. Later events"
              + " of the device join it while it is open, and a stronger repair or a larger scope"
              + " takes over. Codes, nodes and devices that are unknown are stored and isolate"
              + " nothing, like events more than an hour old. An event from the future is refused"
              + " without affecting the others. The inventory lists the devices of a machine, and"
              + " the allocations list the devices that its pods hold. Intended for tokens with the"
              + " role monitor, which can only report, and only for one cluster.")
  @PostBody("/clusters/{cluster}/health-events")
  HealthEventsResponse report(
      Actor actor,
      @PathVariable String cluster,
      @RequestBody @BodyOf(HealthEventsRequest.class) Body body) {
    FieldProblems problems = new FieldProblems();
    Fields fields = body.fields(problems);
    List<Value> items = fields.get("events").map(v -> v.someItems(MOST)).orElse(List.of());
    List<Value> nodes =
        fields.get("inventory").map(v -> v.someItems(InventoryReader.MOST_NODES)).orElse(List.of());
    List<Value> held =
        fields
            .get("allocations")
            .map(v -> v.someItems(InventoryReader.MOST_NODES))
            .orElse(List.of());
    if (items.isEmpty() && nodes.isEmpty() && held.isEmpty() && problems.none()) {
      fields.refuse(
          "events",
          ProblemCode.LIMIT_EXCEEDED,
          "A report has 1 to " + MOST + " events, an inventory or allocations.",
          null);
    }
    fields.done();
    List<NodeDevices> lists =
        nodes.stream().map(InventoryReader::node).flatMap(Optional::stream).toList();
    List<NodeAllocations> allocations =
        held.stream().map(AllocationReader::node).flatMap(Optional::stream).toList();
    List<HealthEvent> events =
        items.stream().map(HealthEventController::event).flatMap(Optional::stream).toList();
    problems.refuse();
    SortedSet<String> aside = new TreeSet<>();
    RuntimeException failed = null;
    if (!allocations.isEmpty()) {
      try { // before the faults, which stop the holders of their devices
        aside.addAll(holders.take(actor, cluster, allocations));
      } catch (RuntimeException failure) {
        failed = failure; // a job that cannot be written must not delay faults
      }
    }
    List<Intake> taken = events.isEmpty() ? List.of() : intake.take(actor, cluster, events);
    if (!lists.isEmpty()) { // after the faults, because a list waits for lists of other clusters
      aside.addAll(devices.take(actor, cluster, lists));
    }
    if (failed != null) {
      throw failed;
    }
    return new HealthEventsResponse(results(taken, events), List.copyOf(aside));
  }

  private static List<HealthEventResult> results(List<Intake> taken, List<HealthEvent> events) {
    List<HealthEventResult> results = new ArrayList<>();
    for (Intake one : taken) {
      Incident incident = one.incident();
      results.add(
          new HealthEventResult(
              results.size(),
              events.get(results.size()).id(),
              one.outcome(),
              one.verdict(),
              incident == null ? null : incident.id().text(),
              one.detail()));
    }
    return results;
  }

  private static Optional<HealthEvent> event(Value item) {
    Optional<Fields> object = item.fields();
    if (object.isEmpty()) {
      return Optional.empty();
    }
    Fields fields = object.get();
    Optional<String> id =
        fields
            .required("id", "an id that is the same for each repeat of the event.")
            .flatMap(v -> PlainText.of(v, LONGEST_ID));
    Optional<Instant> at = fields.required("at", "when it happened.").flatMap(Value::time);
    Optional<String> node =
        fields
            .required("node", "name of the machine.")
            .flatMap(v -> PlainText.of(v, PlainText.LONGEST_NODE));
    Optional<String> gpu =
        fields.get("gpu").flatMap(v -> PlainText.of(v, PlainText.LONGEST_DEVICE));
    Optional<String> serial =
        fields.get("serial").flatMap(v -> PlainText.of(v, PlainText.LONGEST_DEVICE));
    Optional<CodeReader.Reported> code = CodeReader.reported(fields);
    Optional<String> message =
        fields
            .get("message")
            .flatMap(
                v -> v.anyText(LONGEST_MESSAGE).flatMap(t -> PlainText.matching(v, t, PRINTED)));
    fields.done();
    return id.isEmpty() || at.isEmpty() || node.isEmpty() || code.isEmpty()
        ? Optional.empty()
        : Optional.of(
            new HealthEvent(
                id.get(),
                at.get(),
                node.get(),
                gpu.orElse(null),
                serial.orElse(null),
                code.get().number(),
                code.get().message(message.orElse(""), LONGEST_MESSAGE)));
  }
}
