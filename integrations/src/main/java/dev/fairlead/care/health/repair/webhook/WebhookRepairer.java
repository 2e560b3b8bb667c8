package dev.fairlead.care.health.repair.webhook;

import dev.fairlead.care.health.repair.RepairAnswer;
import dev.fairlead.care.health.repair.RepairCall;
import dev.fairlead.care.health.repair.RepairTask;
import dev.fairlead.care.health.repair.Repairer;
import dev.fairlead.care.health.repair.RepairerCalls;
import dev.fairlead.kernel.egress.SignedHttps;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;

final class WebhookRepairer implements RepairerCalls {
  private final SignedHttps post;

  WebhookRepairer(SignedHttps post) {
    this.post = post;
  }

  @Override
  public Optional<String> refuses(Repairer repairer) {
    return Optional.ofNullable(post.refusal(url(repairer), repairer.caData()));
  }

  @Override
  public RepairAnswer ask(RepairCall call) {
    Repairer repairer = call.repairer();
    try {
      return answer(
          post.answer(
              url(repairer), repairer.caData(), Repairer.signs(repairer.cluster()), body(call)));
    } catch (SignedHttps.Unanswered unanswered) {
      return new RepairAnswer.Unanswered(unanswered.why());
    }
  }

  private static String url(Repairer repairer) {
    return Objects.requireNonNull(repairer.url(), "it is called by webhook");
  }

  private static Map<String, Object> body(RepairCall call) {
    RepairTask task = call.task();
    Map<String, Object> body = new TreeMap<>();
    body.put("version", 1);
    body.put("action", call.action().name());
    body.put("key", task.id().text());
    body.put("nonce", task.nonce());
    body.put("cluster", call.cluster());
    body.put("node", task.nodeName());
    body.put("step", task.step().name());
    body.put("cause", call.cause());
    body.put("repair", task.repair().text());
    body.put("deadline", task.status().deadline().toString());
    return body;
  }

  private static RepairAnswer answer(Map<?, ?> said) throws SignedHttps.Unanswered {
    RepairAnswer.Word word = word(said.get("state"));
    Object nonce = said.get("nonce");
    return new RepairAnswer.Answered(
        word,
        nonce == null ? null : String.valueOf(nonce),
        "true".equals(String.valueOf(said.get("poweredOff"))),
        SignedHttps.words(said.get("reference")),
        SignedHttps.words(said.get("message")));
  }

  private static RepairAnswer.Word word(@Nullable Object state) throws SignedHttps.Unanswered {
    for (RepairAnswer.Word word : RepairAnswer.Word.values()) {
      if (word.name().equals(state)) {
        return word;
      }
    }
    throw new SignedHttps.Unanswered(
        "state of the response is none of PENDING, DONE, PASSED, FAILED, REFUSED and WITHDRAWN: "
            + SignedHttps.brief(String.valueOf(state)));
  }
}
