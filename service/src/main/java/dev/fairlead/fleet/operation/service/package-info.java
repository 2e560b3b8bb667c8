/** Use cases of operations, and the loop that completes drains. */
@NullMarked
package dev.fairlead.fleet.operation.service;

import org.jspecify.annotations.NullMarked;
