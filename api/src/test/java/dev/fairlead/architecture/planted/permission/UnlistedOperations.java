package dev.fairlead.architecture.planted.permission;

import io.swagger.v3.oas.annotations.Operation;
import org.springframework.web.bind.annotation.GetMapping;
import org.springframework.web.bind.annotation.PostMapping;

class UnlistedOperations {
  @Operation(operationId = "stealEverything")
  @PostMapping("/steal")
  void hasNoRow() {}

  @GetMapping("/nameless")
  void saysNoOperation() {}

  @Operation(operationId = "getJob")
  @GetMapping("/job")
  void isListed() {}

  void servesNothing() {}
}
