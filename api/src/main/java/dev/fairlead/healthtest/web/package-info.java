/** Tests of nodes over HTTP. */
@NullMarked
package dev.fairlead.healthtest.web;

import org.jspecify.annotations.NullMarked;
