package dev.fairlead.care.health;

import dev.fairlead.fleet.node.NodeId;
import dev.fairlead.kernel.identity.ClusterId;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * A GPU as a thing that is moved, repaired and exchanged; apart from the places of a node, which
 * stay when it goes.
 *
 * @param uuid its key: the driver's, the same in each machine
 * @param serial null until a source knows it
 * @param node where it was seen last
 * @param source what said so
 * @param missingSince since when its node is listed without it, null while it is not
 */
public record Device(
    String uuid,
    @Nullable String serial,
    ClusterId cluster,
    NodeId node,
    String nodeName,
    DeviceSource source,
    Instant firstSeen,
    Instant lastSeen,
    @Nullable Instant missingSince) {
  /** So long a source that is trusted less does not contradict one that is trusted more. */
  public static final Duration TRUSTED = Duration.ofMinutes(10);

  /**
   * So long after its cluster saw it last, another cluster that names it contradicts that one and
   * does not move it: a monitor speaks for its own cluster alone.
   */
  public static final Duration KEPT_BY_ITS_CLUSTER = Duration.ofHours(1);

  /** A device after a sighting, and what changed. */
  public record Update(Device device, List<DeviceChange> changes) {}

  /** One that no source knew before. */
  public static Update found(DeviceObservation sighting) {
    Device device =
        new Device(
            sighting.uuid(),
            sighting.serial(),
            sighting.cluster(),
            sighting.node(),
            sighting.nodeName(),
            sighting.source(),
            sighting.at(),
            sighting.at(),
            null);
    return new Update(
        device,
        List.of(
            device.change(
                sighting.at(), DeviceChange.Kind.FOUND, "in node " + sighting.nodeName())));
  }

  /**
   * After one more sighting. What is older than the last one changes nothing, and neither does a
   * source that contradicts a more trusted one too early. A sighting in another cluster than the
   * one that still reports the device is told as a contradiction and moves nothing.
   */
  public Update seen(DeviceObservation sighting) {
    if (contradictsItsCluster(sighting)) {
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
    String number = sighting.serial() == null ? serial : sighting.serial();
    Device next =
        new Device(
            uuid,
            number,
            sighting.cluster(),
            sighting.node(),
            sighting.nodeName(),
            early ? source : sighting.source(),
            firstSeen,
            sighting.at(),
            null);
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

  /** Whether another cluster names it while its own still reports it. */
  public boolean contradictsItsCluster(DeviceObservation sighting) {
    return !cluster.equals(sighting.cluster())
        && missingSince == null
        && !sighting.at().isBefore(lastSeen)
        && sighting.at().isBefore(lastSeen.plus(KEPT_BY_ITS_CLUSTER));
  }

  private DeviceChange contradiction(DeviceObservation sighting) {
    return change(
        sighting.at(),
        DeviceChange.Kind.CONTRADICTED,
        "cluster %s%s, in node %s; it stays in node %s of cluster %s, which reports it. Find out which monitor is wrong."
            .formatted(
                sighting.cluster().text(),
                DeviceChange.TOO,
                sighting.nodeName(),
                nodeName,
                cluster.text()));
  }

  /**
   * After a list of its node's devices without it: where it is, and whether it works, is unknown.
   */
  public Update missed(Instant at) {
    if (missingSince != null || at.isBefore(lastSeen)) {
      return new Update(this, List.of());
    }
    return new Update(
        new Device(
            uuid, serial, cluster, node, nodeName, DeviceSource.INVENTORY, firstSeen, lastSeen, at),
        List.of(
            change(at, DeviceChange.Kind.MISSING, "node " + nodeName + " is listed without it")));
  }

  private DeviceChange change(Instant at, DeviceChange.Kind kind, String text) {
    return new DeviceChange(uuid, at, kind, text, null);
  }
}
