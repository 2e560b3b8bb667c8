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
import dev.fairlead.kernel.mapping.ApiController;
import dev.fairlead.kernel.mapping.PostBody;
import dev.fairlead.kernel.web.ApiPaths;
import dev.fairlead.people.tenant.Actor;
import io.swagger.v3.oas.annotations.Operation;
import io.swagger.v3.oas.annotations.tags.Tag;
import java.util.ArrayList;
import java.util.List;
import java.util.SortedSet;
import java.util.TreeSet;
import org.jspecify.annotations.Nullable;
import org.springframework.web.bind.annotation.PathVariable;
import org.springframework.web.bind.annotation.RequestBody;

/** Accepts events of monitors. */
@ApiController(ApiPaths.ROOT)
@Tag(name = "Health")
class HealthEventController {
  private final HealthIntake intake;
  private final DeviceIntake devices;
  private final AllocationIntake holders;

  HealthEventController(HealthIntake intake, DeviceIntake devices, AllocationIntake holders) {
    this.intake = intake;
    this.devices = devices;
    this.holders = holders;
  }

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
      Actor actor, @PathVariable String cluster, @RequestBody HealthEventsRequest request) {
    List<HealthEvent> events = request.faults();
    List<NodeDevices> lists = request.devices();
    List<NodeAllocations> allocations = request.held();
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
}
