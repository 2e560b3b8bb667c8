package dev.fairlead.health;

import dev.fairlead.identity.ClusterId;
import dev.fairlead.node.NodeId;
import java.time.Instant;
import org.jspecify.annotations.Nullable;

/**
 * A device, where it was seen.
 *
 * @param uuid of the device
 * @param serial null where the source does not know it
 * @param at by the clock of the source
 */
public record DeviceObservation(
    String uuid,
    @Nullable String serial,
    ClusterId cluster,
    NodeId node,
    String nodeName,
    DeviceSource source,
    Instant at) {}
