package dev.fairlead.verify.faults.chaos;

import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import java.util.concurrent.Semaphore;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.random.RandomGenerator;
import tools.jackson.databind.json.JsonMapper;
import tools.jackson.databind.node.ObjectNode;

/** 32 clients that submit, sometimes repeat answered requests, and cancel some jobs. */
final class JobClients {
  static final String LABEL = "chaos";
  private static final JsonMapper JSON = JsonMapper.builder().build();
  private static final String JOBS = "/projects/default/jobs";
  private static final int CLIENTS = 32;
  private static final int REPEAT_ONE_IN = 20;
  private final Client client;
  private final History history;
  private final ChaosArguments arguments;
  private final Semaphore tickets = new Semaphore(0);
  private final AtomicInteger next = new AtomicInteger();
  private final List<Thread> threads = new ArrayList<>();

  JobClients(Client client, History history, ChaosArguments arguments) {
    this.client = client;
    this.history = history;
    this.arguments = arguments;
  }

  void start() {
    for (int i = 0; i < CLIENTS; i++) {
      threads.add(Thread.ofVirtual().name("client-" + i).start(this::submitAll));
    }
  }

  /** Allows further submits. */
  void allow(int submits) {
    tickets.release(submits);
  }

  /** Sends all remaining submits and waits for all responses. */
  void finish() throws InterruptedException {
    tickets.release(arguments.submits());
    for (Thread thread : threads) {
      thread.join();
    }
  }

  /** Sends the next submit immediately and waits for its response. Does nothing if none remains. */
  void submitNext() throws InterruptedException {
    int number = next.getAndIncrement();
    if (number < arguments.submits()) {
      submit(number);
    }
  }

  private void submitAll() {
    try {
      for (int n = next.getAndIncrement(); n < arguments.submits(); n = next.getAndIncrement()) {
        tickets.acquire();
        submit(n);
      }
    } catch (InterruptedException stopped) {
      Thread.currentThread().interrupt();
    } catch (RuntimeException failed) {
      history.surprise("a client gave up: " + failed);
    }
  }

  private void submit(int number) throws InterruptedException {
    Random random = new Random(arguments.seed() * 1_000_003 + number);
    JobKind kind = JobKind.draw(random);
    String body = body(number, kind, random);
    String key = "chaos-" + number;
    String job = acknowledged(number, kind, client.post(JOBS, body, key, random));
    if (random.nextInt(REPEAT_ONE_IN) == 0) {
      acknowledged(number, kind, client.post(JOBS, body, key, random));
    }
    if (kind.cancelled() && !job.isEmpty()) {
      Thread.sleep(random.nextInt(kind.mostMillisUntilCancelled()));
      Client.Answer answer = client.post("/jobs/" + job + "/cancel", "", null, random);
      if (answer.status() != 200 && answer.status() != 409) {
        history.surprise("cancel of " + job + ": " + answer);
      }
    }
  }

  private String acknowledged(int number, JobKind kind, Client.Answer answer) {
    if (answer.status() != 201) {
      history.surprise("submit " + number + ": " + answer);
      return "";
    }
    String job = answer.text("id");
    history.acknowledged(number, kind, job);
    return job;
  }

  private static String body(int number, JobKind kind, RandomGenerator random) {
    ObjectNode body = JSON.createObjectNode();
    body.put("name", "chaos-" + number);
    kind.describe(body, random);
    body.putObject("labels").put(LABEL, Integer.toString(number));
    return JSON.writeValueAsString(body);
  }
}
