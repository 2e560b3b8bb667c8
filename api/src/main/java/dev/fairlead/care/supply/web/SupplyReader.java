package dev.fairlead.care.supply.web;

import dev.fairlead.care.supply.NodeKind;
import dev.fairlead.care.supply.Supply;
import dev.fairlead.care.supply.service.SupplyDraft;
import dev.fairlead.kernel.body.Fields;
import dev.fairlead.kernel.body.Names;
import dev.fairlead.kernel.body.Value;
import dev.fairlead.kernel.problem.ProblemCode;
import dev.fairlead.kernel.resources.CapacityType;
import dev.fairlead.kernel.resources.Quantity;
import dev.fairlead.kernel.resources.ResourceVector;
import java.time.Duration;
import java.util.Optional;
import java.util.SortedMap;
import java.util.TreeMap;
import java.util.function.Function;

/** Reads supplies from request bodies. */
final class SupplyReader {
  private static final Duration LEAST = Duration.ofMinutes(1);
  private static final Duration LONGEST_EMPTY = Duration.ofDays(7);
  private static final Duration LONGEST_WAIT = Duration.ofDays(1);
  private static final Duration EMPTY = Duration.ofMinutes(10);
  private static final Duration WAIT = Duration.ofMinutes(30);
  private static final int MOST_GPUS = 64;
  private static final int MOST_LABELS = 64;
  private static final int LONGEST_KEY = 317;
  private static final int LONGEST_URL = 1_000;
  private static final int LONGEST_CA = 65_536;

  /** Limits of the CRD. */
  private static final int MOST_PARAMETERS = 100;

  private static final int LONGEST_PARAMETER = 255;

  /** Default number of pods of a node in Kubernetes. */
  private static final long PODS = 110;

  private static final NodeKind NONE =
      new NodeKind("", 0, 0, CapacityType.ON_DEMAND, ResourceVector.ZERO, new TreeMap<>());

  private SupplyReader() {}

  /** Returns the draft. Valid only if no problem was reported. */
  static SupplyDraft read(Fields supply) {
    Optional<String> cluster =
        supply
            .required("cluster", "the cluster that the nodes join.")
            .flatMap(v -> Names.label(v, Names.LONGEST_LABEL));
    Optional<NodeKind> kind =
        supply
            .required("node", "the description of each node.")
            .flatMap(Value::fields)
            .map(SupplyReader::kind);
    Optional<Integer> most =
        supply
            .required("maxNodes", "the maximum number of its nodes at one time.")
            .flatMap(v -> v.integer(0, Supply.MOST_NODES));
    Duration release =
        supply.get("releaseAfter").flatMap(v -> v.duration(LEAST, LONGEST_EMPTY)).orElse(EMPTY);
    Duration ready =
        supply.get("readyWithin").flatMap(v -> v.duration(LEAST, LONGEST_WAIT)).orElse(WAIT);
    Supply.Provisioner provisioner = provisioner(supply);
    supply.done();
    return new SupplyDraft(
        cluster.orElse(""), kind.orElse(NONE), most.orElse(0), release, ready, provisioner);
  }

  private static NodeKind kind(Fields node) {
    Optional<String> model = node.required("model", "the GPU model.").flatMap(Names::word);
    int gpus =
        node.required("gpus", "the number of GPUs of each node.")
            .flatMap(v -> v.integer(1, MOST_GPUS))
            .orElse(1);
    Optional<CapacityType> capacity =
        node.required("capacity", "RESERVED, ON_DEMAND or SPOT.")
            .flatMap(v -> v.choice(CapacityType.class));
    long gpuMemory = amount(node.get("gpuMemory"), Quantity::mebibytes);
    long cpu = amount(node.required("cpu", "cores for pods."), Quantity::milli);
    long memory = amount(node.required("memory", "memory for pods."), Quantity::mebibytes);
    SortedMap<String, String> labels = new TreeMap<>();
    node.get("labels")
        .map(v -> v.entries(MOST_LABELS))
        .orElse(new TreeMap<>())
        .forEach((key, value) -> {
          if (key.length() > LONGEST_KEY) {
            Optional<String> _ = value.bad("has a key that is not a label", null);
          } else {
            value.anyText(Names.LONGEST_LABEL).ifPresent(text -> labels.put(key, text));
          }
        });
    node.done();
    return new NodeKind(
        model.orElse(""),
        gpus,
        gpuMemory,
        capacity.orElse(CapacityType.ON_DEMAND),
        ResourceVector.of(cpu, memory, gpus * 1_000L, PODS),
        labels);
  }

  private static long amount(Optional<Value> value, Function<String, Optional<Long>> read) {
    return value
        .flatMap(v ->
            v.quantityText()
                .flatMap(text -> {
                  Optional<Long> amount = read.apply(text).filter(n -> n > 0);
                  return amount.isPresent()
                      ? amount
                      : v.bad("is not an amount above 0 such as 96 or 1000Gi", null);
                }))
        .orElse(0L);
  }

  private static Supply.Provisioner provisioner(Fields supply) {
    Optional<Supply.Provisioner> webhook =
        supply.get("webhook").flatMap(Value::fields).map(SupplyReader::webhook);
    Optional<Supply.Provisioner> provisioning =
        supply.get("provisioningRequest").flatMap(Value::fields).map(SupplyReader::provisioning);
    if (supply.has("webhook") == supply.has("provisioningRequest")) {
      supply.refuse(
          "webhook",
          ProblemCode.CONFLICTING_FIELDS,
          "Give either webhook, where the provisioner is asked, or provisioningRequest, for the"
              + " autoscaler of the cluster.",
          null);
    }
    return webhook.or(() -> provisioning).orElse(new Supply.Webhook("", null));
  }

  private static Supply.ProvisioningClass provisioning(Fields request) {
    Optional<String> name =
        request
            .required(
                "className",
                "a provisioning class of the autoscaler, such as"
                    + " best-effort-atomic-scale-up.autoscaling.x-k8s.io.")
            .flatMap(Names::subdomain);
    SortedMap<String, String> parameters = new TreeMap<>();
    request
        .get("parameters")
        .map(v -> v.entries(MOST_PARAMETERS))
        .orElse(new TreeMap<>())
        .forEach((key, value) ->
            value.anyText(LONGEST_PARAMETER).ifPresent(text -> parameters.put(key, text)));
    request.done();
    return new Supply.ProvisioningClass(name.orElse(""), parameters);
  }

  private static Supply.Webhook webhook(Fields webhook) {
    Optional<String> url =
        webhook.required("url", "an https address.").flatMap(v -> v.text(LONGEST_URL));
    Optional<String> ca = webhook.get("caData").flatMap(v -> v.text(LONGEST_CA));
    webhook.done();
    return new Supply.Webhook(url.orElse(""), ca.orElse(null));
  }
}
