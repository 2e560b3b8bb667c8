package dev.fairlead.care.health.device;

import dev.fairlead.fleet.node.NodeId;
import dev.fairlead.kernel.identity.ClusterId;
import java.time.Instant;
import org.jspecify.annotations.Nullable;

/**
 * An observation of a device in a node.
 *
 * @param uuid UUID of the device
 * @param serial null if the source does not know it
 * @param at time according to the clock of the source
 */
public record DeviceObservation(
    String uuid,
    @Nullable String serial,
    ClusterId cluster,
    NodeId node,
    String nodeName,
    DeviceSource source,
    Instant at) {}
