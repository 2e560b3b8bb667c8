package dev.fairlead.kernel.web;

import io.swagger.v3.oas.annotations.Hidden;
import java.net.URI;
import org.springframework.http.HttpStatus;
import org.springframework.http.ResponseEntity;
import org.springframework.web.bind.annotation.GetMapping;
import org.springframework.web.bind.annotation.RestController;

/** Leads a browser that has only the address of the service to its description. */
@Hidden
@RestController
class RootController {
  @GetMapping("/")
  ResponseEntity<Void> root() {
    return ResponseEntity.status(HttpStatus.FOUND).location(URI.create("/swagger-ui.html")).build();
  }
}
