/** The OpenAPI document: its parts that are not declared at the controllers. */
@NullMarked
package dev.fairlead.kernel.openapi;

import org.jspecify.annotations.NullMarked;
