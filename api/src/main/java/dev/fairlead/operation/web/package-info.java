/** Operations and drains over HTTP. */
@NullMarked
package dev.fairlead.operation.web;

import org.jspecify.annotations.NullMarked;
