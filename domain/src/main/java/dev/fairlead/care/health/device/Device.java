package dev.fairlead.care.health.device;

import dev.fairlead.fleet.node.NodeId;
import dev.fairlead.kernel.identity.ClusterId;
import io.soabase.recordbuilder.core.RecordBuilder;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * A physical GPU that can be moved, repaired and replaced, in contrast to the GPU slots of a node,
 * which remain when it is removed.
 *
 * @param uuid its key, reported by the driver and equal in each machine
 * @param serial null until a source reports it
 * @param node where it was last seen
 * @param source source of the last position
 * @param missingSince time since when its node no longer lists it, null while it does
 */
@RecordBuilder
public record Device(
    String uuid,
    @Nullable String serial,
    ClusterId cluster,
    NodeId node,
    String nodeName,
    DeviceSource source,
    Instant firstSeen,
    Instant lastSeen,
    @Nullable Instant missingSince)
    implements DeviceBuilder.With {
  /** Time during which a less trusted source cannot contradict a more trusted source. */
  public static final Duration TRUSTED = Duration.ofMinutes(10);

  /**
   * Time after the last report of its cluster. During this time, a report by another cluster counts
   * as a contradiction and does not move the device. A monitor reports only for its own cluster.
   */
  public static final Duration KEPT_BY_ITS_CLUSTER = Duration.ofHours(1);

  /** A device after an observation, with the changes. */
  public record Update(Device device, List<DeviceChange> changes) {}

  /** Creates a device that no source reported before. */
  public static Update found(DeviceObservation sighting) {
    Device device =
        DeviceBuilder.builder()
            .uuid(sighting.uuid())
            .serial(sighting.serial())
            .cluster(sighting.cluster())
            .node(sighting.node())
            .nodeName(sighting.nodeName())
            .source(sighting.source())
            .firstSeen(sighting.at())
            .lastSeen(sighting.at())
            .missingSince(null)
            .build();
    return new Update(
        device,
        List.of(
            device.change(
                sighting.at(), DeviceChange.Kind.FOUND, "in node " + sighting.nodeName())));
  }

  /**
   * Applies one more observation. An observation older than the last one changes nothing, and
   * neither does a source that contradicts a more trusted one too early. An observation in another
   * cluster or node that still reports the device is recorded as a contradiction and does not move
   * it.
   */
  public Update seen(DeviceObservation sighting) {
    if (disputed(sighting)) {
      return new Update(this, List.of(contradiction(sighting)));
    }
    boolean moved = !node.equals(sighting.node());
    boolean contradicts = moved || missingSince != null;
    boolean early =
        sighting.source().compareTo(source) < 0 && sighting.at().isBefore(lastSeen.plus(TRUSTED));
    Instant newest = missingSince == null ? lastSeen : missingSince;
    if (sighting.at().isBefore(newest) || contradicts && early) {
      return new Update(this, List.of());
    }
    String number =
        sighting.serial() == null || early && serial != null ? serial : sighting.serial();
    Device next =
        DeviceBuilder.builder()
            .uuid(uuid)
            .serial(number)
            .cluster(sighting.cluster())
            .node(sighting.node())
            .nodeName(sighting.nodeName())
            .source(early ? source : sighting.source())
            .firstSeen(firstSeen)
            .lastSeen(sighting.at())
            .missingSince(null)
            .build();
    List<DeviceChange> changes = new ArrayList<>();
    if (moved) {
      changes.add(
          change(
              sighting.at(),
              DeviceChange.Kind.MOVED,
              "from node " + nodeName + " to node " + sighting.nodeName()));
    } else if (missingSince != null) {
      changes.add(change(sighting.at(), DeviceChange.Kind.BACK, "in node " + nodeName));
    }
    if (number != null && !number.equals(serial)) {
      changes.add(
          change(
              sighting.at(),
              DeviceChange.Kind.SERIAL,
              serial == null ? "is " + number : "was " + serial + ", is " + number));
    }
    return new Update(next, changes);
  }

  /**
   * Returns whether another cluster reports the device while its own cluster still does, or the
   * inventories of two nodes list it.
   */
  public boolean disputed(DeviceObservation sighting) {
    boolean foreign = !cluster.equals(sighting.cluster());
    boolean listedTwice =
        !node.equals(sighting.node())
            && source == DeviceSource.INVENTORY
            && sighting.source() == DeviceSource.INVENTORY;
    return (foreign || listedTwice)
        && missingSince == null
        && !sighting.at().isBefore(lastSeen)
        && sighting.at().isBefore(lastSeen.plus(foreign ? KEPT_BY_ITS_CLUSTER : TRUSTED));
  }

  private DeviceChange contradiction(DeviceObservation sighting) {
    boolean foreign = !cluster.equals(sighting.cluster());
    return change(
        sighting.at(),
        DeviceChange.Kind.CONTRADICTED,
        "%s%s, in node %s. It remains assigned to node %s%s, which reports it. %s"
            .formatted(
                foreign ? "cluster " + sighting.cluster().text() : "its cluster",
                DeviceChange.TOO,
                sighting.nodeName(),
                nodeName,
                foreign ? " of cluster " + cluster.text() : "",
                foreign
                    ? "Find out which monitor is wrong."
                    : "Find out whether both machines have a GPU with this UUID."));
  }

  /**
   * Applies a device list of the node that does not contain this device. The location and the
   * health of the device are then unknown.
   */
  public Update missed(Instant at) {
    if (missingSince != null || at.isBefore(lastSeen)) {
      return new Update(this, List.of());
    }
    return new Update(
        with().source(DeviceSource.INVENTORY).missingSince(at).build(),
        List.of(
            change(at, DeviceChange.Kind.MISSING, "node " + nodeName + " is listed without it")));
  }

  private DeviceChange change(Instant at, DeviceChange.Kind kind, String text) {
    return new DeviceChange(uuid, at, kind, text, null);
  }
}
