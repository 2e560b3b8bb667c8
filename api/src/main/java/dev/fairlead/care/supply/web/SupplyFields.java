package dev.fairlead.care.supply.web;

import dev.fairlead.care.supply.NodeKind;
import dev.fairlead.care.supply.Supply;
import dev.fairlead.care.supply.service.SupplySpec;
import dev.fairlead.kernel.body.DnsLabel;
import dev.fairlead.kernel.body.FieldReader;
import dev.fairlead.kernel.body.Fields;
import dev.fairlead.kernel.body.Labels;
import dev.fairlead.kernel.body.Names;
import dev.fairlead.kernel.body.RequestRules;
import dev.fairlead.kernel.body.TextFields;
import dev.fairlead.kernel.body.Value;
import dev.fairlead.kernel.problem.ProblemCode;
import dev.fairlead.kernel.resources.CapacityType;
import dev.fairlead.kernel.resources.Quantity;
import dev.fairlead.kernel.resources.ResourceVector;
import io.swagger.v3.oas.annotations.media.Schema;
import jakarta.validation.constraints.Max;
import jakarta.validation.constraints.Min;
import jakarta.validation.constraints.Pattern;
import jakarta.validation.constraints.Size;
import java.time.Duration;
import java.util.Collections;
import java.util.Objects;
import java.util.Optional;
import java.util.SortedMap;
import java.util.function.Function;
import org.hibernate.validator.constraints.time.DurationMax;
import org.hibernate.validator.constraints.time.DurationMin;
import org.jspecify.annotations.Nullable;
import tools.jackson.databind.annotation.JsonDeserialize;

/** Fields of a supply in a request. */
interface SupplyFields {
  /** The supply of a pool with additional nodes. */
  @Schema(name = "PutPoolSupplyRequest")
  record Put(
      @Schema(description = "Name of the cluster that the nodes join") @DnsLabel String cluster,
      @Schema(description = "Description of each node") NodeFields node,
      @Schema(
              description =
                  "Maximum number of its nodes at one time, 0 to 256. With 0, no nodes are"
                      + " requested",
              example = "8")
          @Min(0)
          @Max(Supply.MOST_NODES)
          Integer maxNodes,
      @Schema(
              implementation = String.class,
              description = "Time after which an empty node is returned: 1m to 7d. Default: 10m",
              example = "10m")
          @DurationMin(minutes = 1)
          @DurationMax(days = 7)
          @Nullable Duration releaseAfter,
      @Schema(
              implementation = String.class,
              description =
                  "Time after which a request is abandoned if its nodes are not ready: 1m"
                      + " to 24h. Default: 30m",
              example = "30m")
          @DurationMin(minutes = 1)
          @DurationMax(days = 1)
          @Nullable Duration readyWithin,
      @Schema(description = "Webhook of the provisioner. Absent with provisioningRequest")
          @Nullable WebhookFields webhook,
      @Schema(description = "Request to the autoscaler of the cluster. Absent with webhook")
          @Nullable ProvisioningFields provisioningRequest)
      implements RequestRules {
    private static final Duration RELEASE = Duration.ofMinutes(10);
    private static final Duration READY = Duration.ofMinutes(30);

    @Override
    public void check(Fields given) {
      if (given.has("webhook") == given.has("provisioningRequest")) {
        given.refuse(
            "webhook",
            ProblemCode.CONFLICTING_FIELDS,
            "Give either webhook, where the provisioner is asked, or provisioningRequest, for the"
                + " autoscaler of the cluster.",
            null);
      }
    }

    SupplySpec spec() {
      return new SupplySpec(
          cluster,
          node.kind(),
          maxNodes,
          Objects.requireNonNullElse(releaseAfter, RELEASE),
          Objects.requireNonNullElse(readyWithin, READY),
          webhook != null
              ? new Supply.Webhook(webhook.url(), webhook.caData())
              : Objects.requireNonNull(provisioningRequest).provisioning());
    }
  }

  /** The request to the autoscaler of the cluster. */
  @Schema(name = "SupplyProvisioningRequest")
  record ProvisioningFields(
      @Schema(
              description = "Provisioning class, a DNS name",
              example = "best-effort-atomic-scale-up.autoscaling.x-k8s.io")
          @Size(min = 1, max = Names.LONGEST_SUBDOMAIN)
          @Pattern(regexp = Names.SUBDOMAIN_PATTERN, message = Names.SUBDOMAIN_RULE)
          String className,
      @Schema(description = "Parameters of the class, at most 100 of at most 255 characters each")
          @JsonDeserialize(using = Parameters.class)
          @Nullable SortedMap<String, String> parameters) {
    private Supply.ProvisioningClass provisioning() {
      return new Supply.ProvisioningClass(
          className, parameters == null ? Collections.emptySortedMap() : parameters);
    }
  }

  /** Properties of each node. */
  @Schema(name = "SuppliedNodeKind")
  record NodeFields(
      @Schema(description = "GPU model", example = "H100")
          @Size(min = 1, max = Names.LONGEST_LABEL)
          @Pattern(regexp = Names.WORD_PATTERN, message = Names.WORD_RULE)
          String model,
      @Schema(description = "Number of GPUs of each node, 1 to 64", example = "8") @Min(1) @Max(64)
          Integer gpus,
      @Schema(
              implementation = String.class,
              description = "Device memory of each GPU. Unknown when absent",
              example = "80Gi")
          @JsonDeserialize(using = Memory.class)
          @Nullable Long gpuMemory,
      @Schema(description = "Capacity type of the nodes") CapacityType capacity,
      @Schema(
              implementation = String.class,
              description = "CPU cores available to pods",
              example = "96")
          @JsonDeserialize(using = Cpu.class)
          Long cpu,
      @Schema(
              implementation = String.class,
              description = "Memory available to pods",
              example = "1000Gi")
          @JsonDeserialize(using = Memory.class)
          Long memory,
      @Schema(description = "Labels of each node, in addition to the labels of the pool's selector")
          @JsonDeserialize(using = NodeLabels.class)
          @Nullable SortedMap<String, String> labels) {
    /** Default number of pods of a node in Kubernetes. */
    private static final long PODS = 110;

    private NodeKind kind() {
      return new NodeKind(
          model,
          gpus,
          gpuMemory == null ? 0 : gpuMemory,
          capacity,
          ResourceVector.of(cpu, memory, gpus * 1_000L, PODS),
          labels == null ? Collections.emptySortedMap() : labels);
    }
  }

  /** The webhook of a provisioner. */
  @Schema(name = "SupplyWebhook")
  record WebhookFields(
      @Schema(
              description = "An https address outside of private networks, or an allowed address",
              example = "https://provisioner.example.com/nodes")
          @Size(min = 1, max = 1_000)
          String url,
      @Schema(
              description =
                  "Base64 of the PEM certificates of the provisioner's CA."
                      + " Public authorities when absent")
          @Size(min = 1, max = 65_536)
          @Nullable String caData) {}

  /** Reads parameters within the limits of the CRD. */
  final class Parameters extends TextFields {
    Parameters() {
      super(100, 1024, 255);
    }
  }

  /** Reads labels of nodes. */
  final class NodeLabels extends TextFields {
    NodeLabels() {
      super(64, Labels.LONGEST_KEY, Names.LONGEST_LABEL);
    }
  }

  /** Reads cores in thousandths. */
  final class Cpu extends FieldReader<Long> {
    @Override
    protected Optional<Long> read(Value value) {
      return amount(value, Quantity::milli);
    }
  }

  /** Reads memory in MiB. */
  final class Memory extends FieldReader<Long> {
    @Override
    protected Optional<Long> read(Value value) {
      return amount(value, Quantity::mebibytes);
    }
  }

  private static Optional<Long> amount(Value value, Function<String, Optional<Long>> read) {
    return value
        .quantityText()
        .flatMap(text ->
            read.apply(text)
                .filter(amount -> amount > 0)
                .or(() -> value.bad("is not an amount above 0 such as 96 or 1000Gi", null)));
  }
}
