/** Front clusters over HTTP. */
@NullMarked
package dev.fairlead.front.web;

import org.jspecify.annotations.NullMarked;
