package dev.fairlead.care.supply.web;

import com.fasterxml.jackson.annotation.JsonIgnoreProperties;
import dev.fairlead.care.supply.NodeKind;
import dev.fairlead.care.supply.StockOut;
import dev.fairlead.care.supply.SuppliedNode;
import dev.fairlead.care.supply.Supply;
import dev.fairlead.care.supply.SupplyRequest;
import dev.fairlead.care.supply.SupplyState;
import dev.fairlead.care.supply.service.SupplyView;
import dev.fairlead.kernel.resources.CapacityType;
import dev.fairlead.kernel.resources.DurationText;
import dev.fairlead.kernel.resources.Quantity;
import io.soabase.recordbuilder.core.RecordBuilder;
import io.swagger.v3.oas.annotations.media.Schema;
import java.time.Instant;
import java.util.List;
import java.util.SortedMap;
import org.jspecify.annotations.Nullable;

/**
 * The supply of a pool with additional nodes for waiting jobs.
 *
 * @param webhook webhook of the provisioner, null if the autoscaler of the cluster is used
 * @param provisioningRequest class and parameters for the autoscaler, null if a webhook is called
 * @param signingKey signing key of the calls in hexadecimal digits, only in the response that sets
 *     the supply
 * @param room number of further nodes that may be requested
 * @param coming number of requested nodes that are not ready
 * @param stockOut present while the provisioner has no nodes
 * @param requests requests, newest first
 */
@RecordBuilder
record SupplyResponse(
    String pool,
    String cluster,
    Kind node,
    int maxNodes,
    String releaseAfter,
    String readyWithin,
    @Nullable Webhook webhook,
    @Nullable Provisioning provisioningRequest,
    @Nullable String signingKey,
    int room,
    int coming,
    @Nullable NoStock stockOut,
    List<Requested> requests,
    long version) {
  /**
   * Properties of each node.
   *
   * @param gpuMemory memory of each GPU, null if unknown
   */
  @Schema(name = "SuppliedNodeKindResponse")
  record Kind(
      String model,
      int gpus,
      @Nullable String gpuMemory,
      CapacityType capacity,
      String cpu,
      String memory,
      SortedMap<String, String> labels) {
    static Kind of(NodeKind kind) {
      return new Kind(
          kind.model(),
          kind.gpus(),
          kind.gpuMemoryMiB() == 0 ? null : Quantity.ofMebibytes(kind.gpuMemoryMiB()),
          kind.capacity(),
          Quantity.ofMilli(kind.offers().cpuMilli()),
          Quantity.ofMebibytes(kind.offers().memoryMiB()),
          kind.labels());
    }
  }

  /** The webhook of a provisioner. */
  @Schema(name = "SupplyWebhookResponse")
  record Webhook(String url, @Nullable String caData) {
    static @Nullable Webhook of(Supply.Provisioner provisioner) {
      return provisioner instanceof Supply.Webhook webhook
          ? new Webhook(webhook.url(), webhook.caData())
          : null;
    }
  }

  /** The request to the autoscaler of the cluster. */
  @Schema(name = "SupplyProvisioningRequestResponse")
  record Provisioning(String className, SortedMap<String, String> parameters) {
    static @Nullable Provisioning of(Supply.Provisioner provisioner) {
      return provisioner instanceof Supply.ProvisioningClass its
          ? new Provisioning(its.className(), its.parameters())
          : null;
    }
  }

  /**
   * A stock-out: the provisioner has no nodes until about that time.
   *
   * @param misfit difference between the supplied and the requested node
   */
  @Schema(name = "StockOutResponse")
  record NoStock(Instant until, int refusals, @Nullable String misfit) {
    static @Nullable NoStock of(@Nullable StockOut stockOut) {
      return stockOut == null
          ? null
          : new NoStock(stockOut.until(), stockOut.refusals(), stockOut.misfit());
    }
  }

  /**
   * One request for nodes.
   *
   * @param id idempotency key of the request
   * @param askedFor number of requested nodes
   * @param settledAt time when it became READY, REFUSED or TIMED_OUT
   * @param endedAt time when its last node was returned
   * @param message last response of the provisioner, or the reason why none arrived
   */
  @RecordBuilder
  @Schema(name = "SupplyRequestResponse")
  record Requested(
      String id,
      SupplyState state,
      int askedFor,
      Instant askedAt,
      Instant deadline,
      @Nullable Instant settledAt,
      @Nullable Instant endedAt,
      String message,
      @JsonIgnoreProperties({"id", "drainedAt", "leftAt", "foreign", "cordoned"})
          List<SuppliedNode> nodes) {
    static Requested of(SupplyRequest request) {
      return SupplyResponseRequestedBuilder.builder()
          .id(request.id().text())
          .state(request.state())
          .askedFor(request.asked().nodes())
          .askedAt(request.asked().at())
          .deadline(request.asked().deadline())
          .settledAt(request.settledAt())
          .endedAt(request.endedAt())
          .message(request.talk().message())
          .nodes(request.delivered())
          .build();
    }
  }

  static SupplyResponse of(SupplyView view) {
    Supply supply = view.supply();
    return SupplyResponseBuilder.builder()
        .pool(view.pool())
        .cluster(view.cluster())
        .node(Kind.of(supply.kind()))
        .maxNodes(supply.maxNodes())
        .releaseAfter(DurationText.of(supply.releaseAfter()))
        .readyWithin(DurationText.of(supply.readyWithin()))
        .webhook(Webhook.of(supply.provisioner()))
        .provisioningRequest(Provisioning.of(supply.provisioner()))
        .signingKey(view.signingKey())
        .room(view.offer().room())
        .coming(view.offer().coming())
        .stockOut(NoStock.of(view.offer().stockOut()))
        .requests(view.requests().stream().map(Requested::of).toList())
        .version(supply.version())
        .build();
  }
}
