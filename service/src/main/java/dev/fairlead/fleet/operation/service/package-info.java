/** Use cases of operations, and the loop that carries drains to their end. */
@NullMarked
package dev.fairlead.fleet.operation.service;

import org.jspecify.annotations.NullMarked;
