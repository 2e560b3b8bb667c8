package dev.fairlead.care.supply.web;

import io.swagger.v3.oas.annotations.media.Schema;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/** Fields of a supply in a request. */
interface SupplyFields {
  /** The supply of a pool with additional nodes. */
  @Schema(name = "PutPoolSupplyRequest")
  record Put(
      @Schema(description = "Name of the cluster that the nodes join") String cluster,
      NodeFields node,
      @Schema(
              description =
                  "Maximum number of its nodes at one time, 0 to 256. With 0, no nodes are"
                      + " requested",
              example = "8")
          int maxNodes,
      @Schema(
              description = "Time after which an empty node is returned: 1m to 7d. Default: 10m",
              example = "10m")
          @Nullable String releaseAfter,
      @Schema(
              description =
                  "Time after which a request is abandoned if its nodes are not ready: 1m"
                      + " to 24h. Default: 30m",
              example = "30m")
          @Nullable String readyWithin,
      @Schema(description = "Webhook of the provisioner. Absent with provisioningRequest")
          @Nullable WebhookFields webhook,
      @Schema(description = "Request to the autoscaler of the cluster. Absent with webhook")
          @Nullable ProvisioningFields provisioningRequest) {}

  /** The request to the autoscaler of the cluster. */
  @Schema(name = "SupplyProvisioningRequest")
  record ProvisioningFields(
      @Schema(
              description = "Provisioning class, a DNS name",
              example = "best-effort-atomic-scale-up.autoscaling.x-k8s.io")
          String className,
      @Schema(description = "Parameters of the class, at most 100 of at most 255 characters each")
          @Nullable Map<String, String> parameters) {}

  /** Properties of each node. */
  @Schema(name = "SuppliedNodeKind")
  record NodeFields(
      @Schema(description = "GPU model", example = "H100") String model,
      @Schema(description = "Number of GPUs of each node, 1 to 64", example = "8") int gpus,
      @Schema(description = "Device memory of each GPU. Unknown when absent", example = "80Gi")
          @Nullable String gpuMemory,
      @Schema(
              description = "Capacity type of the nodes",
              allowableValues = {"RESERVED", "ON_DEMAND", "SPOT"})
          String capacity,
      @Schema(description = "CPU cores available to pods", example = "96") String cpu,
      @Schema(description = "Memory available to pods", example = "1000Gi") String memory,
      @Schema(description = "Labels of each node, in addition to the labels of the pool's selector")
          @Nullable Map<String, String> labels) {}

  /** The webhook of a provisioner. */
  @Schema(name = "SupplyWebhook")
  record WebhookFields(
      @Schema(
              description = "An https address outside of private networks, or an allowed address",
              example = "https://provisioner.example.com/nodes")
          String url,
      @Schema(
              description =
                  "Base64 of the PEM certificates of the provisioner's CA."
                      + " Public authorities when absent")
          @Nullable String caData) {}
}
