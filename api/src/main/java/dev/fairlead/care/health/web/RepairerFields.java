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
                  "Steps that it is asked for, none to ask for no more: RESET_GPU, REBOOT,"
                      + " POWER_CYCLE, SERVICE, REPLACE")
          List<RepairStep> steps,
      @Schema(
              description =
                  "Whether it tests a machine after each step, and one that passes comes back into"
                      + " use by itself; false when absent")
          @Nullable Boolean tests,
      @Schema(description = "Where it is asked; absent with annotations")
          @Nullable WebhookFields webhook,
      @Schema(
              description =
                  "Whether a janitor of the cluster is asked, by annotations of the nodes, in place"
                      + " of a webhook; false when absent")
          @Nullable Boolean annotations) {}

  /** Where it is asked. */
  @Schema(name = "RepairerWebhook")
  record WebhookFields(
      @Schema(
              description = "An https address outside of private networks, or one that is allowed",
              example = "https://machines.example.com/repair")
          String url,
      @Schema(
              description =
                  "Base64 of the PEM certificates that sign the repairer's; the public ones when"
                      + " absent")
          @Nullable String caData) {}
}
