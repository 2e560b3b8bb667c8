/** API tokens over HTTP. */
@NullMarked
package dev.fairlead.token.web;

import org.jspecify.annotations.NullMarked;
