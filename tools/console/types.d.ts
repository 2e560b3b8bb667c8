// Types of the API for the console: Api.Schemas has those of openapi/openapi.yaml by name, and
// Api.Answer is the answer to a GET of a path.
import type { components, paths } from "./openapi";

type Prefixed<P extends string> = `/api/v1${P}`;

/** The template of a path, such as /jobs/{job}, with any text in the place of a parameter. */
type Filled<T extends string> = T extends `${infer A}{${string}}${infer B}` ? `${A}${string}${Filled<B>}` : T;

/** The path of the document that an address belongs to. Both must have the same parts. */
type Route<P extends string> = {
  [T in keyof paths & string]: [Prefixed<P>, Filled<T>] extends [Filled<T>, Prefixed<P>] ? T : never;
}[keyof paths & string];

type Content<T> = T extends { content: { "application/json": infer C } } ? C : never;
type Get<T extends keyof paths> = paths[T] extends { get: { responses: { 200: infer R } } } ? Content<R> : never;

declare global {
  namespace Api {
    type Schemas = components["schemas"];

    /** A path that the document does not have gives a value without fields. */
    type Answer<P extends string> = P extends string ? ([Route<P>] extends [never] ? unknown : Get<Route<P>>) : never;

    /** The items of a list. */
    type Items<P extends string> = Answer<P> extends { items: infer I } ? I : never;
  }
}
