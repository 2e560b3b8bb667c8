/** Reports of use over HTTP. */
@NullMarked
package dev.fairlead.money.usage.web;

import org.jspecify.annotations.NullMarked;
