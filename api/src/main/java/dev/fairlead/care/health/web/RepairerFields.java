package dev.fairlead.care.health.web;

import dev.fairlead.care.health.RepairStep;
import io.swagger.v3.oas.annotations.media.Schema;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** A repairer as it is written. */
interface RepairerFields {
  /** What repairs the machines of a cluster. */
  @Schema(name = "PutRepairerRequest")
  record Put(
      @Schema(
              description =
                  "Steps that it performs, empty to request no more: RESET_GPU, REBOOT, POWER_CYCLE, SERVICE, REPLACE")
          List<RepairStep> steps,
      @Schema(
              description =
                  "Whether it tests a machine after each step, so that a machine that passes returns to service "
                      + "automatically; false by default")
          @Nullable Boolean tests,
      @Schema(description = "Where it is asked; absent with annotations")
          @Nullable WebhookFields webhook,
      @Schema(
              description =
                  "Whether a repair controller in the cluster acts on node annotations, instead of a webhook; false by default")
          @Nullable Boolean annotations) {}

  /** Where it is asked. */
  @Schema(name = "RepairerWebhook")
  record WebhookFields(
      @Schema(
              description = "An https address outside of private networks, or an allowed one",
              example = "https://machines.example.com/repair")
          String url,
      @Schema(
              description =
                  "Base64 of the PEM certificates that sign the repairer's; the public ones when"
                      + " absent")
          @Nullable String caData) {}
}
