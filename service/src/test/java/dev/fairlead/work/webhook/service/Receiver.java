package dev.fairlead.work.webhook.service;

import dev.fairlead.work.webhook.WebhookAnswer;
import dev.fairlead.work.webhook.WebhookCalls;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.SortedMap;
import java.util.TreeMap;
import java.util.function.BiFunction;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/** Receivers that respond as a test specifies and record the accepted requests. */
final class Receiver implements WebhookCalls {
  static final WebhookAnswer OK = new WebhookAnswer(204, "", null);
  static final WebhookAnswer BROKEN = new WebhookAnswer(500, "broken", null);

  /** Answer by URL and event, such as {@code 7/JobQueued}. */
  private volatile BiFunction<String, String, WebhookAnswer> answers = (url, event) -> OK;

  private final List<String> accepted = new ArrayList<>();
  private final List<String> called = new ArrayList<>();
  private SortedMap<String, String> headers = new TreeMap<>();

  void answers(BiFunction<String, String, WebhookAnswer> how) {
    answers = how;
  }

  @Override
  public Optional<String> refuses(String url, @Nullable String caData) {
    return url.contains("private") ? Optional.of("the host is private") : Optional.empty();
  }

  @Override
  public WebhookAnswer post(
      String url, @Nullable String caData, SortedMap<String, String> sent, byte[] body) {
    String event = new String(body, StandardCharsets.UTF_8);
    WebhookAnswer answer = answers.apply(url, event);
    synchronized (this) {
      headers = sent;
      called.add(event);
      if (answer.accepted()) {
        accepted.add(url + " " + event);
      }
    }
    return answer;
  }

  synchronized List<String> accepted(String url) {
    return accepted.stream()
        .filter(each -> each.startsWith(url + " "))
        .map(each -> each.substring(url.length() + 1))
        .toList();
  }

  /** Accepted events of one object, each once, in the order of their first delivery. */
  Stream<String> of(String url, int object) {
    return accepted(url).stream().filter(each -> each.startsWith(object + "/")).distinct();
  }

  synchronized int calls() {
    return called.size();
  }

  synchronized SortedMap<String, String> headers() {
    return headers;
  }
}
