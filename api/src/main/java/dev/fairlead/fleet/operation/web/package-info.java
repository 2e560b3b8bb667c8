/** Operations and drains over HTTP. */
@NullMarked
package dev.fairlead.fleet.operation.web;

import org.jspecify.annotations.NullMarked;
