package dev.fairlead.care.health.web;

import dev.fairlead.care.health.RepairStep;
import dev.fairlead.care.health.service.repair.Repairers;
import dev.fairlead.kernel.body.FieldReader;
import dev.fairlead.kernel.body.Fields;
import dev.fairlead.kernel.body.RequestRules;
import dev.fairlead.kernel.body.Value;
import dev.fairlead.kernel.problem.ProblemCode;
import io.swagger.v3.oas.annotations.media.Schema;
import jakarta.validation.constraints.Size;
import java.util.List;
import java.util.Optional;
import org.jspecify.annotations.Nullable;
import tools.jackson.databind.annotation.JsonDeserialize;

/** Fields of a repairer in a request. */
interface RepairerFields {
  int MOST_STEPS = 16;

  /** The repairer of a cluster's machines. */
  @Schema(name = "PutRepairerRequest")
  record Put(
      @Schema(
              description =
                  "Steps that are requested from it: RESET_GPU, REBOOT, POWER_CYCLE,"
                      + " SERVICE, REPLACE. Empty to request no further steps")
          @Size(max = MOST_STEPS)
          @JsonDeserialize(contentUsing = StepReader.class)
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
          @Nullable Boolean annotations)
      implements RequestRules {
    @Override
    public void check(Fields given) {
      boolean annotated = Boolean.TRUE.equals(annotations);
      if (annotated && given.has("webhook")) {
        given.refuse(
            "webhook",
            ProblemCode.CONFLICTING_FIELDS,
            "A repair service uses either a webhook or annotations: remove one of them.",
            null);
      } else if (!annotated && !given.has("webhook")) {
        given.refuse(
            "webhook",
            ProblemCode.INVALID_FIELD,
            "webhook is missing: the address at which it is called, or annotations: true.",
            null);
      }
    }

    Repairers.Settings settings() {
      return new Repairers.Settings(
          steps,
          Boolean.TRUE.equals(tests),
          webhook == null ? null : webhook.url(),
          webhook == null ? null : webhook.caData());
    }
  }

  /** Reads a step that is performed on a machine. */
  final class StepReader extends FieldReader<RepairStep> {
    @Override
    protected Optional<RepairStep> read(Value value) {
      return value
          .choice(RepairStep.class)
          .flatMap(step ->
              step.repairs()
                  ? Optional.of(step)
                  : value.bad("is not a step that is performed on a machine", "RESET_GPU"));
    }
  }

  /** The webhook of a repairer. */
  @Schema(name = "RepairerWebhook")
  record WebhookFields(
      @Schema(
              description = "An https address outside of private networks, or an allowed address",
              example = "https://machines.example.com/repair")
          @Size(min = 1, max = 1_000)
          String url,
      @Schema(
              description =
                  "Base64 of the PEM certificates of the repair service's CA."
                      + " Public authorities when absent")
          @Size(min = 1, max = 65_536)
          @Nullable String caData) {}
}
