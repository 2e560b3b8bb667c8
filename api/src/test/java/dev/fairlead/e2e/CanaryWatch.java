package dev.fairlead.e2e;

import static org.assertj.core.api.Assertions.assertThat;

import ch.qos.logback.classic.Level;
import ch.qos.logback.classic.Logger;
import ch.qos.logback.classic.LoggerContext;
import ch.qos.logback.classic.turbo.TurboFilter;
import ch.qos.logback.core.spi.FilterReply;
import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.atomic.AtomicLong;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.extension.AfterAllCallback;
import org.junit.jupiter.api.extension.BeforeAllCallback;
import org.junit.jupiter.api.extension.BeforeEachCallback;
import org.junit.jupiter.api.extension.ExtensionContext;
import org.slf4j.LoggerFactory;
import org.slf4j.Marker;
import org.slf4j.helpers.MessageFormatter;

/**
 * Captures the TRACE log of the service and its libraries during a test without printing it, and
 * fails the class if it contains a secret. JUnit finds it unless {@code
 * junit.jupiter.extensions.autodetection.exclude} names it. {@code make security LONG=1} excludes
 * nothing.
 */
public final class CanaryWatch implements BeforeAllCallback, BeforeEachCallback, AfterAllCallback {
  /** API tokens, tokens of issuers and clusters, private keys, and canaries of tests. */
  private static final Pattern SECRETS =
      Pattern.compile(
          "fl_[A-Za-z0-9_-]{43}|eyJ[A-Za-z0-9_-]{8,}\\.eyJ[A-Za-z0-9_-]{8,}\\.[A-Za-z0-9_-]{8}"
              + "|PRIVATE KEY-----|canary-[a-z]+-[0-9]+|a-token-to-begin-with");

  /** The issuer of the tests runs in this process too. */
  private static final String ISSUER = "org.springframework.security.oauth2.server";

  private static final Ear EAR = new Ear();

  @Override
  public void beforeAll(ExtensionContext context) {
    EAR.found.clear();
    EAR.messages.set(0);
    EAR.listen();
  }

  /** Each start of the service restarts its logging, which drops its listeners. */
  @Override
  public void beforeEach(ExtensionContext context) {
    EAR.listen();
  }

  @Override
  public void afterAll(ExtensionContext context) {
    if (context.getParent().filter(parent -> parent.getTestClass().isPresent()).isPresent()) {
      return; // a nested class
    }
    System.out.printf(
        "security canary %s: %d messages at TRACE, %d with a secret%n",
        context.getDisplayName(), EAR.messages.get(), EAR.found.size());
    assertThat(EAR.found).as("messages with a secret").isEmpty();
  }

  /** Called for each message of any level, and ignores unwanted messages. */
  private static final class Ear extends TurboFilter {
    private final Queue<String> found = new ConcurrentLinkedQueue<>();
    private final AtomicLong messages = new AtomicLong();

    void listen() {
      LoggerContext context = (LoggerContext) LoggerFactory.getILoggerFactory();
      if (!context.getTurboFilterList().contains(this)) {
        context.addTurboFilter(this);
      }
    }

    @Override
    public FilterReply decide(
        @Nullable Marker marker,
        Logger logger,
        Level level,
        @Nullable String format,
        Object @Nullable [] arguments,
        @Nullable Throwable thrown) {
      if (logger.getName().startsWith(ISSUER)) {
        return FilterReply.NEUTRAL;
      }
      if (format == null) {
        // a query whether the level is enabled: the message must be formatted
        return FilterReply.ACCEPT;
      }
      messages.incrementAndGet();
      String text = MessageFormatter.arrayFormat(format, arguments).getMessage() + thrown;
      if (SECRETS.matcher(text).find()) {
        found.add(logger.getName() + ": " + text);
      }
      return FilterReply.NEUTRAL;
    }
  }
}
