package dev.fairlead;

import org.springframework.boot.SpringApplication;
import org.springframework.boot.autoconfigure.SpringBootApplication;

/** Starts Fairlead: one deployable whose roles are chosen by configuration. */
@SpringBootApplication
public class FairleadApplication {

  public static void main(String[] args) {
    SpringApplication.run(FairleadApplication.class, args);
  }
}
