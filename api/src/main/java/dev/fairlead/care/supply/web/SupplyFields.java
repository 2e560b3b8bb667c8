package dev.fairlead.care.supply.web;

import io.swagger.v3.oas.annotations.media.Schema;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/** A supply as it is written. */
interface SupplyFields {
  /** How a pool gets nodes. */
  @Schema(name = "PutPoolSupplyRequest")
  record Put(
      @Schema(description = "Name of the cluster that the nodes join") String cluster,
      NodeFields node,
      @Schema(
              description = "Most of its nodes at one time, from 0 to 256; 0 asks for none",
              example = "8")
          int maxNodes,
      @Schema(
              description =
                  "A node that was empty for so long is handed back: 1m to 7d, 10m when absent",
              example = "10m")
          @Nullable String releaseAfter,
      @Schema(
              description =
                  "Nodes that are not ready so long after they were asked for are given up: 1m to"
                      + " 24h, 30m when absent",
              example = "30m")
          @Nullable String readyWithin,
      @Schema(description = "Where its supplier is asked; absent with provisioningRequest")
          @Nullable WebhookFields webhook,
      @Schema(description = "How the autoscaler of the cluster is asked; absent with webhook")
          @Nullable ProvisioningFields provisioningRequest) {}

  /** How the autoscaler of the cluster is asked. */
  @Schema(name = "SupplyProvisioningRequest")
  record ProvisioningFields(
      @Schema(
              description = "Provisioning class, a DNS name",
              example = "best-effort-atomic-scale-up.autoscaling.x-k8s.io")
          String className,
      @Schema(description = "Parameters of the class, at most 100 of at most 255 characters each")
          @Nullable Map<String, String> parameters) {}

  /** What each node is like. */
  @Schema(name = "SuppliedNodeKind")
  record NodeFields(
      @Schema(description = "GPU model", example = "H100") String model,
      @Schema(description = "GPUs of each node, from 1 to 64", example = "8") int gpus,
      @Schema(description = "Device memory of each GPU; not known when absent", example = "80Gi")
          @Nullable String gpuMemory,
      @Schema(
              description = "How it is paid for",
              allowableValues = {"RESERVED", "ON_DEMAND", "SPOT"})
          String capacity,
      @Schema(description = "Cores for pods", example = "96") String cpu,
      @Schema(description = "Memory for pods", example = "1000Gi") String memory,
      @Schema(description = "Labels of each node, in addition to the labels of the pool's selector")
          @Nullable Map<String, String> labels) {}

  /** Where its supplier is asked. */
  @Schema(name = "SupplyWebhook")
  record WebhookFields(
      @Schema(
              description = "An https address outside of private networks, or an allowed one",
              example = "https://supplier.example.com/nodes")
          String url,
      @Schema(
              description =
                  "Base64 of the PEM certificates that sign the supplier's; the public ones when"
                      + " absent")
          @Nullable String caData) {}
}
