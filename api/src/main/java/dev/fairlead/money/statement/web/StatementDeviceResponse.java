package dev.fairlead.money.statement.web;

import dev.fairlead.fleet.node.NodeId;
import dev.fairlead.kernel.identity.ClusterId;
import dev.fairlead.money.statement.DeviceUse;
import dev.fairlead.money.statement.web.StatementLineResponse.StatementThing;
import dev.fairlead.money.statement.web.StatementLineResponse.StatementUsed;
import dev.fairlead.people.tenant.ProjectId;
import java.util.UUID;
import org.jspecify.annotations.Nullable;

/**
 * Time of one GPU in members of a project in the month.
 *
 * @param gpu UUID of the GPU, null for all GPUs of the node without a known UUID
 * @param serial serial number of the GPU, null if it is not known
 * @param model model of the GPU
 * @param held gPU time, including time that is not charged
 */
record StatementDeviceResponse(
    @Nullable String gpu,
    @Nullable String serial,
    String model,
    StatementThing project,
    StatementThing cluster,
    StatementThing node,
    StatementUsed held) {
  private static final int PARTS = 5;

  static StatementDeviceResponse of(DeviceUse use) {
    DeviceUse.Key key = use.key();
    DeviceUse.Names names = use.names();
    return new StatementDeviceResponse(
        key.gpu().isEmpty() ? null : key.gpu(),
        use.serial(),
        key.model(),
        new StatementThing(key.project().text(), names.project()),
        new StatementThing(key.cluster().text(), names.cluster()),
        new StatementThing(key.node().text(), names.node()),
        StatementUsed.of(use.milliMillis()));
  }

  /** Position of the page after the sum. The model is last, because it may contain spaces. */
  static String position(DeviceUse use) {
    DeviceUse.Key key = use.key();
    return String.join(
        " ",
        key.gpu(),
        key.project().value().toString(),
        key.cluster().value().toString(),
        key.node().value().toString(),
        key.model());
  }

  static DeviceUse.Key key(String position) {
    String[] parts = position.split(" ", PARTS);
    return new DeviceUse.Key(
        parts[0],
        new ProjectId(UUID.fromString(parts[1])),
        new ClusterId(UUID.fromString(parts[2])),
        new NodeId(UUID.fromString(parts[3])),
        parts[4]);
  }
}
