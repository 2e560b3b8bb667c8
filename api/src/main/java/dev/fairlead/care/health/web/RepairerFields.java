package dev.fairlead.care.health.web;

import dev.fairlead.care.health.RepairStep;
import io.swagger.v3.oas.annotations.media.Schema;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** Fields of a repairer in a request. */
interface RepairerFields {
  /** The repairer of a cluster's machines. */
  @Schema(name = "PutRepairerRequest")
  record Put(
      @Schema(
              description =
                  "Steps that are requested from it: RESET_GPU, REBOOT, POWER_CYCLE,"
                      + " SERVICE, REPLACE. Empty to request no further steps")
          List<RepairStep> steps,
      @Schema(
              description =
                  "Whether the repair service tests a machine after each step. A machine"
                      + " that passes returns to service automatically. Default: false")
          @Nullable Boolean tests,
      @Schema(description = "Webhook of the repairer. Absent with annotations")
          @Nullable WebhookFields webhook,
      @Schema(
              description =
                  "Whether a repair controller in the cluster is driven by node"
                      + " annotations, instead of a webhook. Default: false")
          @Nullable Boolean annotations) {}

  /** The webhook of a repairer. */
  @Schema(name = "RepairerWebhook")
  record WebhookFields(
      @Schema(
              description = "An https address outside of private networks, or an allowed address",
              example = "https://machines.example.com/repair")
          String url,
      @Schema(
              description =
                  "Base64 of the PEM certificates of the repair service's CA."
                      + " Public authorities when absent")
          @Nullable String caData) {}
}
