export {
    type MemoryCatalog as CatalogStub,
    startMemoryCatalog as startCatalogStub,
} from "../../../local/simulators/lakekeeper/memory-catalog.ts";
