package dev.fairlead.care.health.web;

import dev.fairlead.care.health.HealthEvent;
import dev.fairlead.care.health.NodeAllocations;
import dev.fairlead.care.health.XidTable;
import dev.fairlead.care.health.device.NodeDevices;
import dev.fairlead.kernel.body.Fields;
import dev.fairlead.kernel.body.RequestRules;
import dev.fairlead.kernel.problem.ProblemCode;
import io.swagger.v3.oas.annotations.media.Schema;
import jakarta.validation.constraints.Max;
import jakarta.validation.constraints.Min;
import jakarta.validation.constraints.Pattern;
import jakarta.validation.constraints.Size;
import java.time.Instant;
import java.util.List;
import org.jspecify.annotations.Nullable;

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
    @Size(min = 1, max = MOST) @Nullable List<Event> events,
    @Size(min = 1, max = MOST) @Nullable List<NodeGpus> inventory,
    @Size(min = 1, max = MOST) @Nullable List<Allocations> allocations)
    implements RequestRules {
  private static final int MOST = 500;
  private static final int MOST_GPUS = 64;
  private static final int MOST_PODS = 512;
  private static final int MOST_IDS = 256;
  private static final int LONGEST_ID = 96;
  private static final int LONGEST_EVENT_ID = 128;
  private static final int LONGEST_MESSAGE = 1024;
  private static final String PRINTED = "^[^\\x00-\\x1f\\x7f]*$";
  private static final String PRINTED_RULE = "has control characters, which are not allowed";

  @Override
  public void check(Fields given) {
    if (!given.has("events") && !given.has("inventory") && !given.has("allocations")) {
      given.refuse(
          "events",
          ProblemCode.LIMIT_EXCEEDED,
          "A report has 1 to " + MOST + " events, an inventory or allocations.",
          null);
    }
  }

  List<HealthEvent> faults() {
    return events == null ? List.of() : events.stream().map(Event::event).toList();
  }

  List<NodeDevices> devices() {
    return inventory == null ? List.of() : inventory.stream().map(NodeGpus::devices).toList();
  }

  List<NodeAllocations> held() {
    return allocations == null ? List.of() : allocations.stream().map(Allocations::held).toList();
  }

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
  record Event(
      @Size(min = 1, max = LONGEST_EVENT_ID)
          @Pattern(regexp = PlainText.PATTERN, message = PlainText.RULE)
          String id,
      Instant at,
      @Size(min = 1, max = PlainText.LONGEST_NODE)
          @Pattern(regexp = PlainText.PATTERN, message = PlainText.RULE)
          String node,
      @Size(min = 1, max = PlainText.LONGEST_DEVICE)
          @Pattern(regexp = PlainText.PATTERN, message = PlainText.RULE)
          @Nullable String gpu,
      @Size(min = 1, max = PlainText.LONGEST_DEVICE)
          @Pattern(regexp = PlainText.PATTERN, message = PlainText.RULE)
          @Nullable String serial,
      @Min(1) @Max(FaultCode.LARGEST_XID) @Nullable Integer xid,
      @Size(min = 1, max = FaultCode.LONGEST)
          @Pattern(regexp = PlainText.PATTERN, message = PlainText.RULE)
          @Nullable String code,
      @Size(max = LONGEST_MESSAGE) @Pattern(regexp = PRINTED, message = PRINTED_RULE)
          @Nullable String message)
      implements FaultCode, RequestRules {
    @Override
    public void check(Fields given) {
      checkReported(given);
    }

    private HealthEvent event() {
      return new HealthEvent(id, at, node, gpu, serial, number(), text());
    }

    /** Begins with the name of a code that the number does not imply. */
    private String text() {
      String given = message == null ? "" : message;
      if (code == null || number() != XidTable.OTHER_DCGM) {
        return given;
      }
      String whole = given.isEmpty() ? code : code + ": " + given;
      return whole.substring(0, Math.min(whole.length(), LONGEST_MESSAGE));
    }
  }

  /**
   * All devices of a machine.
   *
   * @param node name of the machine
   * @param at time of the list, at most 5 minutes ahead of the server's clock
   * @param gpus devices, at most 64
   */
  @Schema(name = "NodeGpusRequest")
  record NodeGpus(
      @Size(min = 1, max = PlainText.LONGEST_NODE)
          @Pattern(regexp = PlainText.PATTERN, message = PlainText.RULE)
          String node,
      Instant at,
      @Size(max = MOST_GPUS) List<Gpu> gpus) {
    private NodeDevices devices() {
      return new NodeDevices(node, at, gpus.stream().map(Gpu::listed).toList());
    }
  }

  /**
   * A device of a machine.
   *
   * @param gpu UUID of the device
   * @param serial serial number of the device, absent if the sender does not know it
   */
  @Schema(name = "ListedGpuRequest")
  record Gpu(
      @Size(min = 1, max = PlainText.LONGEST_DEVICE)
          @Pattern(regexp = PlainText.PATTERN, message = PlainText.RULE)
          String gpu,
      @Size(min = 1, max = PlainText.LONGEST_DEVICE)
          @Pattern(regexp = PlainText.PATTERN, message = PlainText.RULE)
          @Nullable String serial) {
    private NodeDevices.Listed listed() {
      return new NodeDevices.Listed(gpu, serial);
    }
  }

  /**
   * Devices that the pods of a machine hold.
   *
   * @param node name of the machine
   * @param at time of the reading, at most 5 minutes ahead of the clock of Fairlead
   * @param pods pods, at most 512. Pods of other programs are ignored
   */
  @Schema(name = "NodeAllocationsRequest")
  record Allocations(
      @Size(min = 1, max = PlainText.LONGEST_NODE)
          @Pattern(regexp = PlainText.PATTERN, message = PlainText.RULE)
          String node,
      Instant at,
      @Size(max = MOST_PODS) List<Pod> pods) {
    private NodeAllocations held() {
      return new NodeAllocations(node, at, pods.stream().map(Pod::devices).toList());
    }
  }

  /**
   * Devices of a pod.
   *
   * @param uid UID of the pod
   * @param gpus ids of its devices, as the device plugin names them: a UUID, for a replica of
   *     time-slicing or MPS with its number. If the list has any other id, the devices of the pod
   *     remain unknown
   */
  @Schema(name = "PodDevicesRequest")
  record Pod(
      @Size(min = 1, max = PlainText.LONGEST_DEVICE)
          @Pattern(regexp = PlainText.PATTERN, message = PlainText.RULE)
          String uid,
      @Size(max = MOST_IDS)
          List<
                  @Size(min = 1, max = LONGEST_ID)
                  @Pattern(regexp = PlainText.PATTERN, message = PlainText.RULE) String>
              gpus) {
    private NodeAllocations.PodDevices devices() {
      return new NodeAllocations.PodDevices(uid, gpus);
    }
  }
}
