/** REST endpoints of operations and drains. */
@NullMarked
package dev.fairlead.fleet.operation.web;

import org.jspecify.annotations.NullMarked;
