package dev.fairlead.launcher;

import java.io.PrintStream;
import java.io.UncheckedIOException;
import java.net.URI;
import tools.jackson.databind.JsonNode;

/**
 * {@code bin/fairlead-server doctor}: the findings of {@code fairlead doctor}, without Python.
 * Calls the service at {@code FAIRLEAD_URL} with {@code FAIRLEAD_TOKEN}, and exits with the same
 * codes: 0 without findings, 30 with warnings only, 31 with a problem, 8 when it cannot be reached.
 */
public final class DoctorLauncher {
  private static final PrintStream OUT = System.out;
  private static final int WARNING = 30;
  private static final int PROBLEM = 31;
  private static final int UNREACHABLE = 8;

  private DoctorLauncher() {}

  public static void main(String[] args) {
    String address = System.getenv().getOrDefault("FAIRLEAD_URL", "http://127.0.0.1:8080");
    try (FairleadApi api = new FairleadApi(URI.create(address), System.getenv("FAIRLEAD_TOKEN"))) {
      System.exit(show(api.get("/checks").get("items")));
    } catch (ApiRefusal refused) {
      System.err.println("doctor: " + refused.getMessage());
      System.exit(1);
    } catch (UncheckedIOException away) {
      System.err.println("doctor: " + away.getMessage());
      System.exit(UNREACHABLE);
    }
  }

  private static int show(JsonNode checks) {
    int code = 0;
    for (JsonNode check : checks) {
      String verdict = check.get("verdict").asString();
      OUT.printf(
          "%-8s %s %s: %s%n",
          verdict,
          check.get("area").asString(),
          check.get("subject").asString(),
          check.get("found").asString());
      if (check.hasNonNull("next")) {
        OUT.println("         " + check.get("next").asString());
      }
      code =
          Math.max(
              code,
              switch (verdict) {
                case "PROBLEM" -> PROBLEM;
                case "WARNING" -> WARNING;
                default -> 0;
              });
    }
    return code;
  }
}
