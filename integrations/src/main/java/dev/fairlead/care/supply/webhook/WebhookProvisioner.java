package dev.fairlead.care.supply.webhook;

import dev.fairlead.care.supply.NodeKind;
import dev.fairlead.care.supply.NodeProvisioner;
import dev.fairlead.care.supply.Supply;
import dev.fairlead.care.supply.SupplyAnswer;
import dev.fairlead.care.supply.SupplyCall;
import dev.fairlead.kernel.egress.EgressPolicy;
import dev.fairlead.kernel.egress.SignedHttps;
import dev.fairlead.kernel.keyring.SharedKey;
import dev.fairlead.kernel.resources.DurationText;
import java.time.Duration;
import java.time.InstantSource;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;

/** Calls a provisioner by {@link SignedHttps}. */
final class WebhookProvisioner implements NodeProvisioner {
  private static final int MOST_NODES = 2 * Supply.MOST_NODES;
  private static final int LONGEST_NAME = 253;

  private final SignedHttps post;

  /**
   * @param most maximum duration of a call
   */
  WebhookProvisioner(EgressPolicy egress, SharedKey key, InstantSource clock, Duration most) {
    this.post = new SignedHttps(egress, key, clock, most, "the provisioner");
  }

  @Override
  public Optional<String> refuses(Supply.Webhook webhook) {
    return Optional.ofNullable(post.refusal(webhook.url(), webhook.caData()));
  }

  @Override
  public SupplyAnswer ask(SupplyCall call) {
    Supply supply = call.supply();
    Supply.Webhook webhook = supply.webhook();
    if (webhook == null) {
      return new SupplyAnswer.Unanswered("pool " + call.pool() + " has no webhook");
    }
    try {
      return answer(
          post.answer(webhook.url(), webhook.caData(), Supply.signs(supply.pool()), body(call)));
    } catch (SignedHttps.Unanswered unanswered) {
      return new SupplyAnswer.Unanswered(unanswered.why());
    }
  }

  private static Map<String, Object> body(SupplyCall call) {
    NodeKind kind = call.supply().kind();
    Map<String, Object> node = new TreeMap<>();
    node.put("model", kind.model());
    node.put("gpus", kind.gpus());
    node.put("capacity", kind.capacity().name());
    node.put("labels", kind.labels());
    Map<String, Object> body = new TreeMap<>();
    body.put("version", 1);
    body.put("action", call.action().name());
    body.put("key", call.request().id().text());
    body.put("pool", call.pool());
    body.put("cluster", call.cluster());
    body.put("nodes", call.request().asked().nodes());
    body.put("node", node);
    body.put("deadline", call.request().asked().deadline().toString());
    body.put("keep", call.request().notHandedBack());
    return body;
  }

  private static SupplyAnswer answer(Map<?, ?> said) throws SignedHttps.Unanswered {
    SupplyAnswer.Word word = word(said.get("state"));
    return new SupplyAnswer.Answered(
        word,
        names(said.get("nodes")),
        SignedHttps.words(said.get("message")),
        wait(said.get("retryAfter")));
  }

  private static SupplyAnswer.Word word(@Nullable Object state) throws SignedHttps.Unanswered {
    for (SupplyAnswer.Word word : SupplyAnswer.Word.values()) {
      if (word.name().equals(state)) {
        return word;
      }
    }
    throw new SignedHttps.Unanswered(
        "state of the response is none of PENDING, GRANTED, REFUSED and RELEASED: "
            + SignedHttps.brief(String.valueOf(state)));
  }

  private static List<String> names(@Nullable Object nodes) throws SignedHttps.Unanswered {
    if (nodes == null || nodes.equals("null")) {
      return List.of();
    }
    if (!(nodes instanceof List<?> list) || list.size() > MOST_NODES) {
      throw new SignedHttps.Unanswered(
          "nodes of the response is not a list of at most " + MOST_NODES + " names");
    }
    for (Object name : list) {
      if (!(name instanceof String text)
          || text.length() > LONGEST_NAME
          || !text.matches("[a-z0-9]([a-z0-9.-]*[a-z0-9])?")) {
        throw new SignedHttps.Unanswered("nodes of the response contains invalid node names");
      }
    }
    return list.stream().map(String::valueOf).distinct().toList();
  }

  private static @Nullable Duration wait(@Nullable Object retryAfter) {
    return retryAfter == null
        ? null
        : DurationText.parse(String.valueOf(retryAfter).toLowerCase(Locale.ROOT)).orElse(null);
  }
}
